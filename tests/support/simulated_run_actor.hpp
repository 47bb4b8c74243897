/// Random programs on random machines in virtual time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "actors/runtime_options.hpp"
#include "tests/support/random_program.hpp"

namespace troupe::tests {

/// One program, and the machine and runtime to run it on, all drawn from a seed.
struct SimulatedRun {
  std::uint64_t seed = 0;
  RuntimeOptions runtime;
  ProgramOptions program;
  /// Actors are killed now and then.
  bool losses = false;

  [[nodiscard]] const SimulationOptions& simulation() const { return *runtime.simulation; }
};

/// Cores, 0 to 4 GPUs, most of them with little memory; any policy with any options, window, lookahead, message order.
[[nodiscard]] SimulatedRun simulated_run(std::uint64_t seed);
/// For people: what `simulated_run` has drawn.
[[nodiscard]] std::string describe(const SimulatedRun& run);
/// Runs the program of one seed with real buffers, checks it as `run_program` does, then its trace
/// (`check_simulated_trace`). Returns what was wrong. `trace`: if given, receives all that happened, as text.
std::vector<std::string> execute(const SimulatedRun& run, std::string* trace = nullptr);
/// The same with a program that is recorded and run many times.
std::vector<std::string> execute_recorded(const SimulatedRun& run);

}  // namespace troupe::tests
