/// Random programs on random machines in virtual time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "actors/reporting/run_report.hpp"
#include "actors/running/runtime_options.hpp"
#include "tests/support/random/random_program.hpp"

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
/// The same, and GPUs fail: copies, kernels, allocations, or all of a GPU.
[[nodiscard]] SimulatedRun simulated_run_with_faults(std::uint64_t seed);
/// The same with 70 cores and 100 GPUs with little memory, and a policy that uses all of them.
[[nodiscard]] SimulatedRun simulated_run_on_many_devices(std::uint64_t seed);
/// For people: what has been drawn.
[[nodiscard]] std::string describe(const SimulatedRun& run);
/// What could be seen of a run.
struct Seen {
  /// All that happened, as text.
  std::string trace;
  RunReport report;
  RanProgram ran;
};

/// Runs the program of one seed with real buffers, checks it as `run_program` does, then its trace
/// (`check_simulated_trace`). Returns what was wrong. `seen`: if given, receives that.
std::vector<std::string> execute(const SimulatedRun& run, Seen* seen = nullptr);
/// The same with a program that is recorded and run many times.
std::vector<std::string> execute_recorded(const SimulatedRun& run);

}  // namespace troupe::tests
