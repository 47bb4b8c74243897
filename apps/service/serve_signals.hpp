/// The signals that tell a command to stop: what it serves, waits for or shows.
#pragma once

#include <array>
#include <csignal>
#include <optional>

#include "platform/files/file_descriptor.hpp"
#include "proto/units.hpp"

namespace troupe::apps {

/// Catches SIGTERM, SIGINT and SIGHUP for `wait`, in their order, whichever thread of the process gets them: libraries
/// may have started threads that block nothing. A SIGHUP that was ignored before (nohup) still is. What happened to
/// them before happens again when it goes. One at a time.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  /// The next one, or nothing after `at_most`. Without `at_most`: waits for one.
  [[nodiscard]] std::optional<int> wait(std::optional<Duration> at_most = std::nullopt) const;
  /// For `poll`: can be read while there is one that `wait` has not returned.
  [[nodiscard]] int descriptor() const { return read_.get(); }

 private:
  static constexpr std::array<int, 3> kSignals{SIGTERM, SIGINT, SIGHUP};

  /// A pipe of the numbers of signals.
  platform::FileDescriptor read_;
  platform::FileDescriptor write_;
  std::array<struct sigaction, kSignals.size()> before_{};
};

}  // namespace troupe::apps
