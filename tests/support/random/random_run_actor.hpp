/// Random programs on whole runtimes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/random/random_program.hpp"
#include "troupe/runtime_options.hpp"

namespace troupe::tests {

/// One program and the runtime to run it on, both drawn from a seed.
struct RandomRun {
  RuntimeOptions runtime;
  ProgramOptions program;
};

/// Draws a run with 1 to 16 workers and any policy and window. Every fourth run uses one thread and a random order of
/// messages.
[[nodiscard]] RandomRun random_run(std::uint64_t seed);
/// Describes the drawn run in words.
[[nodiscard]] std::string describe(const RandomRun& run);
/// Runs the program of one seed. Returns the problems, as `run_program` does.
std::vector<std::string> execute(const RandomRun& run, RanProgram* ran = nullptr);
/// Records a program and runs the recording many times. The number of threads is the number of submitters of `run`.
std::vector<std::string> execute_recorded(const RandomRun& run);

}  // namespace troupe::tests
