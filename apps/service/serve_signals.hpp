/// The signals that tell a service to stop.
#pragma once

#include <array>
#include <csignal>
#include <optional>

#include "platform/files/file_descriptor.hpp"
#include "proto/units.hpp"

namespace troupe::apps {

/// Catches SIGTERM and SIGINT for `wait`, whichever thread of the process gets them: libraries may have started threads
/// that block nothing. What happened to them before happens again when it goes. One at a time.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  /// The next one, or nothing after `at_most`. Without `at_most`: waits for one.
  [[nodiscard]] std::optional<int> wait(std::optional<Duration> at_most = std::nullopt) const;

 private:
  static constexpr std::array<int, 2> kSignals{SIGTERM, SIGINT};

  platform::FileDescriptor counter_;
  std::array<struct sigaction, kSignals.size()> before_{};
};

}  // namespace troupe::apps
