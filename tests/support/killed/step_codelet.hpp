/// The kernel of random programs whose service is another process. The task's arguments hold all that the kernel needs.
#pragma once

#include "tests/support/random/random_program.hpp"
#include "troupe/arguments.hpp"
#include "troupe/codelet.hpp"

namespace troupe::tests {

/// Returns a codelet whose kernel calls `compute` for the planned task in `step_arguments`. If `with_kernel` is false,
/// returns the client's codelet, which has no kernel.
[[nodiscard]] Codelet step_codelet(bool with_kernel);
[[nodiscard]] Arguments step_arguments(const PlannedTask& task);

}  // namespace troupe::tests
