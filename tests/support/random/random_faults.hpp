/// Faults of devices for random programs.
#pragma once

#include <cstdint>
#include <string>

#include "platform/accelerators/fault_plan.hpp"
#include "proto/random.hpp"

namespace troupe::tests {

/// Draws one or more kinds of fault, seldom or often, so that most runs have some faults and few runs have only faults.
[[nodiscard]] platform::FaultOptions random_faults(Random& random, std::uint64_t seed);
/// Describes the faults for people; empty if nothing fails.
[[nodiscard]] std::string describe(const platform::FaultOptions& faults);

}  // namespace troupe::tests
