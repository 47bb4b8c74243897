/// A described machine, as text for people and as JSON.
#pragma once

#include <optional>
#include <string>

#include "proto/json/json.hpp"
#include "troupe/machine.hpp"

namespace troupe::apps {

/// Returns the speed of the GPUs relative to one core: the core's time divided by the mean of the GPUs' times. Returns
/// nothing if the kernel does not run on both.
[[nodiscard]] std::optional<double> gpu_over_core(const platform::MachineDescription& machine,
                                                  const platform::KernelTimes& kernel, double edge);

/// Returns tables of cores, GPUs, links, the speeds of single copies, and the kernels.
[[nodiscard]] std::string machine_text(const platform::MachineDescription& machine);

/// Returns the machine as one JSON object, with all kernel times for each tile size.
[[nodiscard]] Json machine_json(const platform::MachineDescription& machine);

}  // namespace troupe::apps
