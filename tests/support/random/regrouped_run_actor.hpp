/// Random programs on cores whose clusters change while they run.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "tests/support/random/emulated_run_actor.hpp"
#include "tests/support/random/random_run_actor.hpp"
#include "tests/support/random/simulated_run_actor.hpp"

namespace troupe::tests {

/// One program and its runtime: on threads (every fourth of these in one thread), on threads with emulated
/// accelerators, or in virtual time with GPUs. Every other run with accelerators has faults.
using RegroupedRun = std::variant<RandomRun, EmulatedRun, SimulatedRun>;

/// Draws a run with at least two cores. Each kind draws everything else itself. The run asks for clusters of any sizes
/// at the start, between submissions, and on threads all the time. Actors of workers are killed now and then.
[[nodiscard]] RegroupedRun regrouped_run(std::uint64_t seed);
[[nodiscard]] std::string describe(const RegroupedRun& run);
/// Returns the problems, as `run_program` does. `regroupings`, if given, receives the number of completed ones.
std::vector<std::string> execute(const RegroupedRun& run, std::uint64_t* regroupings = nullptr);

}  // namespace troupe::tests
