/// Random programs on random machines in virtual time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/random/random_program.hpp"
#include "troupe/report.hpp"
#include "troupe/runtime_options.hpp"
#include "troupe/simulation_options.hpp"

namespace troupe::tests {

/// One program and the machine and runtime to run it on, all drawn from a seed.
struct SimulatedRun {
  std::uint64_t seed = 0;
  RuntimeOptions runtime;
  ProgramOptions program;
  /// True if actors are killed now and then.
  bool losses = false;

  [[nodiscard]] const SimulationOptions& simulation() const { return *runtime.simulation; }
};

/// Draws cores, 0 to 4 GPUs, most of them with little memory, any policy with any options, the window, the lookahead
/// and the message order.
[[nodiscard]] SimulatedRun simulated_run(std::uint64_t seed);
/// Draws a run as `simulated_run` does, in which GPUs fail: copies, kernels, allocations, or a whole GPU.
[[nodiscard]] SimulatedRun simulated_run_with_faults(std::uint64_t seed);
/// Draws a run with 70 cores, 100 GPUs with little memory, and a policy that uses all of them.
[[nodiscard]] SimulatedRun simulated_run_on_many_devices(std::uint64_t seed);
/// Describes, for people, what has been drawn.
[[nodiscard]] std::string describe(const SimulatedRun& run);
/// The results of a run.
struct Seen {
  /// All events, as text.
  std::string trace;
  RunReport report;
  RanProgram ran;
};

/// Runs the program of one seed with real buffers, checks it as `run_program` does, then its trace
/// (`check_simulated_trace`). Returns the problems. `seen`, if given, receives the results.
std::vector<std::string> execute(const SimulatedRun& run, Seen* seen = nullptr);
/// Runs a program that is recorded and run many times, and checks it.
std::vector<std::string> execute_recorded(const SimulatedRun& run);

}  // namespace troupe::tests
