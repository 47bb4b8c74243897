/// The kernel of random programs whose service is another process: all that it needs to know are its arguments.
#pragma once

#include "tests/support/random/random_program.hpp"
#include "troupe/arguments.hpp"
#include "troupe/codelet.hpp"

namespace troupe::tests {

/// Does what `compute` says of the planned task in `step_arguments`. Without a kernel: what a client has of it.
[[nodiscard]] Codelet step_codelet(bool with_kernel);
[[nodiscard]] Arguments step_arguments(const PlannedTask& task);

}  // namespace troupe::tests
