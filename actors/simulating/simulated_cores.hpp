/// The cores of a described machine that run tasks.
#pragma once

#include "platform/machine/topology.hpp"
#include "troupe/errors.hpp"
#include "troupe/simulation_options.hpp"

namespace troupe::actors {

/// Checks the options. Fails with `invalid_argument` if the options ask for something that the machine does not have,
/// or if a number makes no sense. Does not check clusters.
[[nodiscard]] Result<void> check(const SimulationOptions& options);

/// Returns the described machine with only those of its cores that run tasks and drive no GPU. If `clusters` is true,
/// these cores are grouped into the clusters of the options. The options must pass `check`. Fails with
/// `invalid_argument` for clusters that these cores cannot form.
[[nodiscard]] Result<platform::Topology> simulated_topology(const SimulationOptions& options, bool clusters = true);

}  // namespace troupe::actors
