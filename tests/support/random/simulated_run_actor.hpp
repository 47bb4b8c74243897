/// Random programs on random machines, in virtual time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/random/random_program.hpp"
#include "troupe/report.hpp"
#include "troupe/runtime_options.hpp"
#include "troupe/simulation_options.hpp"

namespace troupe::tests {

/// One program with its machine and its runtime, all drawn from a seed.
struct SimulatedRun {
  std::uint64_t seed = 0;
  RuntimeOptions runtime;
  ProgramOptions program;
  /// True if actors are killed from time to time.
  bool losses = false;

  [[nodiscard]] const SimulationOptions& simulation() const { return *runtime.simulation; }
};

/// Draws a run: the cores, 0 to 4 GPUs, most of them with little memory, any policy with any options, the window, the
/// lookahead and the order of messages.
[[nodiscard]] SimulatedRun simulated_run(std::uint64_t seed);
/// Draws a run like `simulated_run`, but with GPUs that fail: copies, kernels, allocations, or a whole GPU.
[[nodiscard]] SimulatedRun simulated_run_with_faults(std::uint64_t seed);
/// Draws a run with 70 cores, 100 GPUs with little memory, and a policy that uses all of them.
[[nodiscard]] SimulatedRun simulated_run_on_many_devices(std::uint64_t seed);
/// Describes the drawn run in words.
[[nodiscard]] std::string describe(const SimulatedRun& run);
/// The results of a run.
struct Seen {
  /// All events of the trace, as text.
  std::string trace;
  RunReport report;
  RanProgram ran;
};

/// Runs the program of one seed with real buffers. Checks it like `run_program`, and checks its trace
/// (`check_simulated_trace`). Returns the problems. If `seen` is given, it receives the results.
std::vector<std::string> execute(const SimulatedRun& run, Seen* seen = nullptr);
/// Records a program, runs the recording many times, and checks the results.
std::vector<std::string> execute_recorded(const SimulatedRun& run);

}  // namespace troupe::tests
