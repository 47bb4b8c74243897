/// Random programs on cores and emulated accelerators, with real threads.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/random/random_program.hpp"
#include "troupe/report.hpp"
#include "troupe/runtime_options.hpp"

namespace troupe::tests {

/// One program and its runtime, both drawn from a seed. The seed does not determine the order of events in different
/// threads.
struct EmulatedRun {
  std::uint64_t seed = 0;
  RuntimeOptions runtime;
  ProgramOptions program;
};

/// Draws a run with 1 to 3 cores and 1 to 3 accelerators, most of which have memory for a few tiles. Bandwidth,
/// latency, direct copies, policy, options, window, lookahead and number of submitters are random. Every third run has
/// faults. If no task starts or ends for 20 seconds, the run writes the reasons to standard error.
[[nodiscard]] EmulatedRun emulated_run(std::uint64_t seed);
/// Describes the drawn run in words.
[[nodiscard]] std::string describe(const EmulatedRun& run);

/// Runs the program of one seed and checks it like `run_program`. Returns the problems. If `ran` and `report` are
/// given, they receive the results.
std::vector<std::string> execute(const EmulatedRun& run, RanProgram* ran = nullptr, RunReport* report = nullptr);
/// Records a program, runs the recording many times without faults of devices, and checks the results.
std::vector<std::string> execute_recorded(const EmulatedRun& run);

}  // namespace troupe::tests
