/// Refuses tasks whose kernels would run for too long, because a running kernel cannot be interrupted.
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

/// Predicts the least time of a kernel from its number of operations (`Codelet::flops`) and a speed. For cores, the
/// speed is the best speed of this machine's cores, or four times the best speed of this kernel so far if that is less.
/// For accelerators, it is a speed that no accelerator exceeds. Emulated accelerators are as fast as cores. If a
/// codelet itself gives the time of a task, that time counts. A codelet with neither operations nor a time is never
/// refused. A task in pieces is never too long, because other tasks run between its pieces.
class KernelLimit {
 public:
  struct Options {
    /// The longest time that a kernel may take; zero for no limit.
    Duration longest{};
    /// Returns the best speed so far of the codelet with this name, in operations per second; 0 if no long run has been
    /// measured. May be null.
    std::function<double(const std::string& codelet)> seen = nullptr;
    /// Returns the best speed of a core of this machine in double precision. If it is null, the speed of the fastest
    /// known core counts. Called only if slower cores could take too long.
    std::function<double()> core_speed = nullptr;
    /// The kinds of device that the service has.
    KindSet kinds = kOnCores;
  };
  explicit KernelLimit(Options options) : options_(std::move(options)) {}

  struct Verdict {
    /// The reason why the task is refused; nothing if it may run.
    std::optional<Failure> refused = std::nullopt;
    /// True if the task would run for too long on a core, but not on an accelerator that is allowed to run it.
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

/// Judges a task before it is submitted: asks the codelet's check, and then the limit. Refuses nothing if the number or
/// a type of the data is wrong, because the check relies on both: the graph then refuses the task, with a better
/// message.
[[nodiscard]] KernelLimit::Verdict judge_task(const ServiceCodelet& codelet, std::span<const Layout> layouts,
                                              const Arguments& arguments, const DeviceSet& devices,
                                              const KernelLimit& limit);

}  // namespace troupe::service
