/// The kernel of random programs whose service is another process. All that it needs to know is in its arguments.
#pragma once

#include "tests/support/random/random_program.hpp"
#include "troupe/arguments.hpp"
#include "troupe/codelet.hpp"

namespace troupe::tests {

/// Returns a codelet that does what `compute` says for the planned task in `step_arguments`. Without a kernel, it is
/// the codelet that a client has.
[[nodiscard]] Codelet step_codelet(bool with_kernel);
[[nodiscard]] Arguments step_arguments(const PlannedTask& task);

}  // namespace troupe::tests
