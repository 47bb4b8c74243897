/// The cores of a described machine that run tasks.
#pragma once

#include "actors/simulating/simulation_options.hpp"
#include "platform/machine/topology.hpp"
#include "proto/errors.hpp"

namespace troupe::actors {

/// Fails with `invalid_argument` where the machine has not what is asked for, or a number makes no sense. Clusters are
/// not looked at.
[[nodiscard]] Result<void> check(const SimulationOptions& options);

/// The described machine, and of its cores those that run tasks: none that drives a GPU, grouped into clusters where
/// these are wanted. Of options that pass `check`. Fails with `invalid_argument` for clusters that these cores cannot
/// form.
[[nodiscard]] Result<platform::Topology> simulated_topology(const SimulationOptions& options, bool clusters = true);

}  // namespace troupe::actors
