/// How long one task takes in virtual time: what the description says of its kernel, noise, and what a run adds.
#pragma once

#include <string>
#include <string_view>

#include "actors/simulating/simulation_options.hpp"
#include "graph/data/size_classes.hpp"
#include "platform/described/machine_description.hpp"
#include "proto/device_kinds.hpp"
#include "proto/errors.hpp"
#include "proto/ids.hpp"
#include "proto/units.hpp"

namespace troupe::actors {

/// A worker's device in the description.
struct DescribedDevice {
  DeviceType type;
  /// Number of the GPU in the description.
  std::size_t gpu = 0;
};

/// The times of `kernel`, "application/kernel/precision"; null where the description has none.
[[nodiscard]] const platform::KernelTimes* find_times(const platform::MachineDescription& machine,
                                                      std::string_view kernel);

/// The time on `device` of a task that is timed as `kernel` ("application/kernel/precision") and has `flops`
/// operations: that at the tile edge with as many. Fails with `bad_input` where the description does not say.
[[nodiscard]] Result<platform::KernelTime> described_time(const platform::MachineDescription& machine,
                                                          const std::string& kernel, double flops,
                                                          const DescribedDevice& device);

/// The time on `device` of tasks of this class by the program's own word. Fails with `bad_input` where it has none for
/// such a device, or one that is not a time; with what a function of the program throws.
[[nodiscard]] Result<platform::KernelTime> given_time(const CodeletTimes& times, const graph::SizeClass& size_class,
                                                      const DescribedDevice& device);

/// What a task of such a kernel takes in a run with these options on a device of this kind, in whole nanoseconds: with
/// noise, it depends on seed and task, so a task is as much slower or faster than its mean wherever it runs.
[[nodiscard]] Duration kernel_duration(const SimulationOptions& options, const platform::KernelTime& time,
                                       DeviceKind kind, TaskId task);

}  // namespace troupe::actors
