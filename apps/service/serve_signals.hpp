/// The signals that request a command to stop.
#pragma once

#include <array>
#include <csignal>
#include <optional>

#include "platform/files/file_descriptor.hpp"
#include "troupe/units.hpp"

namespace troupe::apps {

/// Catches SIGTERM, SIGINT and SIGHUP and returns them from `wait` in their order. Any thread of the process may
/// receive a signal, because libraries may have started threads that block no signals. A SIGHUP that was ignored before
/// (nohup) stays ignored. The destructor restores the previous handlers. There may be only one object at a time.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  /// Returns the next signal, or nothing after `at_most`. Without `at_most`, waits until a signal comes.
  [[nodiscard]] std::optional<int> wait(std::optional<Duration> at_most = std::nullopt) const;
  /// Returns a descriptor for `poll`. It is readable while there is a signal that `wait` has not returned.
  [[nodiscard]] int descriptor() const { return read_.get(); }

 private:
  static constexpr std::array<int, 3> kSignals{SIGTERM, SIGINT, SIGHUP};

  /// The ends of a pipe that carries the numbers of signals.
  platform::FileDescriptor read_;
  platform::FileDescriptor write_;
  std::array<struct sigaction, kSignals.size()> before_{};
};

}  // namespace troupe::apps
