/// Random OpenCL programs with defined results, run beside a model of them in plain C++.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/opencl/random/random_machine.hpp"

namespace troupe::tests {

/// Runs the program of a seed: one or two contexts, with queues of all sorts, buffers and parts of them, 20 to 80
/// commands that wait for one another by events, and user events that are set in random order, some by another thread.
/// Returns the problems: wrong bytes, and commands that were refused.
[[nodiscard]] std::vector<std::string> run_random_program(const RandomMachine& machine, std::uint64_t seed);

}  // namespace troupe::tests
