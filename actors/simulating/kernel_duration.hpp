/// Kernel duration: the time of one task in virtual time. It is computed from the time of the task's kernel, noise, and
/// the overhead of each kernel.
#pragma once

#include <string>
#include <string_view>

#include "graph/data/size_classes.hpp"
#include "troupe/devices.hpp"
#include "troupe/errors.hpp"
#include "troupe/ids.hpp"
#include "troupe/machine.hpp"
#include "troupe/simulation_options.hpp"
#include "troupe/units.hpp"

namespace troupe::actors {

/// The type of a worker's device and, for a GPU, its number.
struct DescribedDevice {
  DeviceType type;
  /// The number of the GPU in the description.
  std::size_t gpu = 0;
};

/// Returns the times of `kernel`, whose name is "application/kernel/precision"; null if the description has none.
[[nodiscard]] const platform::KernelTimes* find_times(const platform::MachineDescription& machine,
                                                      std::string_view kernel);

/// Returns the time on `device` of a task that is timed as `kernel` ("application/kernel/precision") and has `flops`
/// operations. This is the described time of the kernel for the tile edge at which the kernel has `flops` operations.
/// Fails with `bad_input` if the description has no such time.
[[nodiscard]] Result<platform::KernelTime> described_time(const platform::MachineDescription& machine,
                                                          const std::string& kernel, double flops,
                                                          const DescribedDevice& device);

/// Returns the time that the program gives for tasks of this size class on `device`. Fails with `bad_input` if the
/// program has no function for such a device, if the function throws, or if the time or its deviation is out of range.
[[nodiscard]] Result<platform::KernelTime> given_time(const CodeletTimes& times, const graph::SizeClass& size_class,
                                                      const DescribedDevice& device);

/// Returns the time of a task, in whole nanoseconds, on a device of kind `kind` in a run with `options`. `time` is the
/// time of the task's kernel. With noise, the task is slower or faster than the mean by a random number of standard
/// deviations, which depends only on the seed and the task: it is the same on every device.
[[nodiscard]] Duration kernel_duration(const SimulationOptions& options, const platform::KernelTime& time,
                                       DeviceKind kind, TaskId task);

}  // namespace troupe::actors
