/// Random programs that run while the clusters of cores change.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "tests/support/random/emulated_run_actor.hpp"
#include "tests/support/random/random_run_actor.hpp"
#include "tests/support/random/simulated_run_actor.hpp"

namespace troupe::tests {

/// One program and its runtime. The runtime uses threads (every fourth of these runs uses only one), threads with
/// emulated accelerators, or virtual time with GPUs. Every other run with accelerators has faults.
using RegroupedRun = std::variant<RandomRun, EmulatedRun, SimulatedRun>;

/// Draws a run with at least two cores. The run regroups its cores into clusters of any sizes: at the start, between
/// submissions and, with threads, all the time. Sometimes an actor of a worker is killed.
[[nodiscard]] RegroupedRun regrouped_run(std::uint64_t seed);
[[nodiscard]] std::string describe(const RegroupedRun& run);
/// Runs the program and returns the problems, like `run_program`. If `regroupings` is given, it receives the number of
/// completed regroupings.
std::vector<std::string> execute(const RegroupedRun& run, std::uint64_t* regroupings = nullptr);

}  // namespace troupe::tests
