/// Refuses tasks whose kernels would run for too long: they cannot be interrupted.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>

#include "graph/codelets/arguments.hpp"
#include "graph/codelets/device_set.hpp"
#include "graph/codelets/layout.hpp"
#include "proto/device_kinds.hpp"
#include "proto/errors.hpp"
#include "proto/units.hpp"
#include "service/codelets/codelet_source.hpp"

namespace troupe::service {

/// What a kernel takes at least is predicted from its operations (`Codelet::flops`) and a speed: what the cores of this
/// machine reach, or four times the best speed at which the kernel was seen to run here; on accelerators a speed that
/// none exceeds. Emulated accelerators are as fast as cores. Of a codelet that says itself how long it takes, that
/// counts, and of others nothing is known. A task in pieces is not too long, as others take their turns between them.
class KernelLimit {
 public:
  struct Options {
    /// Zero for no limit.
    Duration longest{};
    /// The best speed of a codelet so far, by its name, in operations per second; 0: it never ran for long. May be
    /// null.
    std::function<double(const std::string& codelet)> seen = nullptr;
    /// What a core reaches at best in double precision. Null: what the fastest cores do. Asked only where slower cores
    /// could take too long.
    std::function<double()> core_speed = nullptr;
    /// Kinds of device that the service has.
    KindSet kinds = kOnCores;
  };
  explicit KernelLimit(Options options) : options_(std::move(options)) {}

  struct Verdict {
    /// Why the task cannot run.
    std::optional<Failure> refused = std::nullopt;
    /// It would run for too long on a core, and not on an accelerator that may run it.
    bool not_on_cores = false;
  };
  /// Of a task that only `devices` may run, and that its check has let pass. Any thread.
  [[nodiscard]] Verdict judge(const ServiceCodelet& codelet, std::span<const Layout> layouts,
                              const Arguments& arguments, const DeviceSet& devices = {}) const;

 private:
  /// In seconds, at least.
  [[nodiscard]] double time_on_core_s(const std::string& codelet, double flops, bool doubles) const;
  [[nodiscard]] Verdict refuse(const ServiceCodelet& codelet, double time_s, const char* where) const;

  const Options options_;
};

}  // namespace troupe::service
