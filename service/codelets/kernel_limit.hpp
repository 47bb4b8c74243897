/// Refuses tasks whose kernels would run for too long: they cannot be interrupted.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>

#include "graph/codelets/device_set.hpp"
#include "service/codelets/codelet_source.hpp"
#include "troupe/arguments.hpp"
#include "troupe/devices.hpp"
#include "troupe/errors.hpp"
#include "troupe/layout.hpp"
#include "troupe/units.hpp"

namespace troupe::service {

/// Predicts the least time of a kernel from its operations (`Codelet::flops`) and a speed: for cores, what the cores of
/// this machine reach, or four times the best speed at which the kernel was seen to run here; for accelerators, a speed
/// that none exceeds. Emulated accelerators are as fast as cores. If a codelet says itself how long it takes, that time
/// counts. A codelet with neither operations nor a time is never refused. A task in pieces is never too long, as other
/// tasks run between its pieces.
class KernelLimit {
 public:
  struct Options {
    /// The longest time that a kernel may take; zero for no limit.
    Duration longest{};
    /// Returns the best speed of the codelet with this name so far, in operations per second; 0 if it never ran for
    /// long. May be null.
    std::function<double(const std::string& codelet)> seen = nullptr;
    /// Returns the best speed of a core of this machine in double precision. If it is null, the speed of the fastest
    /// cores counts. Called only if slower cores could take too long.
    std::function<double()> core_speed = nullptr;
    /// The kinds of device that the service has.
    KindSet kinds = kOnCores;
  };
  explicit KernelLimit(Options options) : options_(std::move(options)) {}

  struct Verdict {
    /// The reason why the task cannot run; nothing if it can.
    std::optional<Failure> refused = std::nullopt;
    /// True if the task would run for too long on a core, but not on an accelerator that may run it.
    bool not_on_cores = false;
  };
  /// Judges a task that only `devices` may run, and that the codelet's check has accepted. May be called from any
  /// thread.
  [[nodiscard]] Verdict judge(const ServiceCodelet& codelet, std::span<const Layout> layouts,
                              const Arguments& arguments, const DeviceSet& devices = {}) const;

 private:
  /// Returns a lower bound of the time on a core, in seconds.
  [[nodiscard]] double time_on_core_s(const std::string& codelet, double flops, bool doubles) const;
  [[nodiscard]] Verdict refuse(const ServiceCodelet& codelet, double time_s, const char* where) const;

  const Options options_;
};

}  // namespace troupe::service
