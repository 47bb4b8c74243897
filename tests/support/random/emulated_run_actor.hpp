/// Random programs on cores and emulated accelerators, under real threads.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/random/random_program.hpp"
#include "troupe/report.hpp"
#include "troupe/runtime_options.hpp"

namespace troupe::tests {

/// One program and the runtime to run it on, all drawn from a seed. The order of events among threads is not determined
/// by the seed.
struct EmulatedRun {
  std::uint64_t seed = 0;
  RuntimeOptions runtime;
  ProgramOptions program;
};

/// Draws a run: 1 to 3 cores and 1 to 3 accelerators, most of which hold a few tiles; any bandwidth and latency, with
/// or without direct copies between them; any policy, options, window, lookahead and number of submitters. Every third
/// run has faults. If nothing moves for 20 seconds, it writes the reasons to standard error.
[[nodiscard]] EmulatedRun emulated_run(std::uint64_t seed);
/// Describes, for people, what `emulated_run` has drawn.
[[nodiscard]] std::string describe(const EmulatedRun& run);

/// Runs the program of one seed and checks it as `run_program` does. Returns the problems. `ran` and `report`, if
/// given, receive the results.
std::vector<std::string> execute(const EmulatedRun& run, RanProgram* ran = nullptr, RunReport* report = nullptr);
/// Runs a program that is recorded and run many times, without faults of devices, and checks it.
std::vector<std::string> execute_recorded(const EmulatedRun& run);

}  // namespace troupe::tests
