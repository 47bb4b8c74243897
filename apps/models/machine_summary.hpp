/// A described machine, for people and for machines.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "platform/described/machine_description.hpp"

namespace troupe::apps {

/// How many times as fast as one core the GPUs are on average: the core's time over the mean of the GPUs' times.
/// Nothing where the kernel does not run on both.
[[nodiscard]] std::optional<double> gpu_over_core(const platform::MachineDescription& machine,
                                                  const platform::KernelTimes& kernel, double edge);

/// Cores, GPUs, links, what single copies reach, and the kernels, as tables.
[[nodiscard]] std::string machine_text(const platform::MachineDescription& machine);

/// The same as one object, with all times at the tiles that were measured.
[[nodiscard]] nlohmann::json machine_json(const platform::MachineDescription& machine);

}  // namespace troupe::apps
