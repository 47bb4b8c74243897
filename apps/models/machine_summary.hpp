/// A described machine, as text for people and as JSON.
#pragma once

#include <optional>
#include <string>

#include "proto/json/json.hpp"
#include "troupe/machine.hpp"

namespace troupe::apps {

/// Returns how many times as fast as one core the GPUs are on average: the core's time over the mean of the GPUs'
/// times. Returns nothing if the kernel does not run on both.
[[nodiscard]] std::optional<double> gpu_over_core(const platform::MachineDescription& machine,
                                                  const platform::KernelTimes& kernel, double edge);

/// Returns tables of cores, GPUs, links, the speeds that single copies reach, and the kernels.
[[nodiscard]] std::string machine_text(const platform::MachineDescription& machine);

/// Returns the machine as one JSON object, with all times at the tiles that were measured.
[[nodiscard]] Json machine_json(const platform::MachineDescription& machine);

}  // namespace troupe::apps
