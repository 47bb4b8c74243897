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

/// One program, and where it runs: on threads, every fourth of them in one thread; there with emulated accelerators; or
/// in virtual time with GPUs. Every other of those with accelerators has faults.
using RegroupedRun = std::variant<RandomRun, EmulatedRun, SimulatedRun>;

/// Two cores at least; everything else as each kind draws it. Clusters of any sizes are asked for at the start, between
/// submissions, and on threads all the time; actors of workers are killed now and then.
[[nodiscard]] RegroupedRun regrouped_run(std::uint64_t seed);
[[nodiscard]] std::string describe(const RegroupedRun& run);
/// Returns what was wrong, as `run_program` does. `regroupings`: if given, receives how many were completed.
std::vector<std::string> execute(const RegroupedRun& run, std::uint64_t* regroupings = nullptr);

}  // namespace troupe::tests
