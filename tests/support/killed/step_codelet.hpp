/// The kernel of random programs whose service is another process. Its arguments contain everything that it needs.
#pragma once

#include "tests/support/random/random_program.hpp"
#include "troupe/arguments.hpp"
#include "troupe/codelet.hpp"

namespace troupe::tests {

/// Returns a codelet that does what `compute` says for the planned task in `step_arguments`. If `with_kernel` is false,
/// it is the codelet of a client, which has no kernel.
[[nodiscard]] Codelet step_codelet(bool with_kernel);
[[nodiscard]] Arguments step_arguments(const PlannedTask& task);

}  // namespace troupe::tests
