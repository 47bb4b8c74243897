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

/// Draws a run: 1 to 16 workers, any policy and window; every fourth run in one thread, in a random order of messages.
[[nodiscard]] RandomRun random_run(std::uint64_t seed);
/// Describes, for people, what `random_run` has drawn.
[[nodiscard]] std::string describe(const RandomRun& run);
/// Runs the program of one seed. Returns the problems, as `run_program` does.
std::vector<std::string> execute(const RandomRun& run, RanProgram* ran = nullptr);
/// Runs a program that is recorded and run many times, by as many threads as `run` has submitters.
std::vector<std::string> execute_recorded(const RandomRun& run);

}  // namespace troupe::tests
