/// Random OpenCL programs with defined results, compared with a model in plain C++.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/opencl/random/random_machine.hpp"

namespace troupe::tests {

/// Runs the program of a seed. It has one or two contexts with several kinds of queues, buffers and sub-buffers, and 20
/// to 80 commands that wait for one another by events. User events are set in a random order, some by another thread.
/// Returns the problems: wrong bytes, and commands that were refused.
[[nodiscard]] std::vector<std::string> run_random_program(const RandomMachine& machine, std::uint64_t seed);

}  // namespace troupe::tests
