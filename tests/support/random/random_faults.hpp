/// Faults of devices for random programs.
#pragma once

#include <cstdint>
#include <string>

#include "platform/accelerators/fault_plan.hpp"
#include "proto/random.hpp"

namespace troupe::tests {

/// Draws one or more kinds of fault and how often they occur. Most runs have some faults; in few runs everything fails.
[[nodiscard]] platform::FaultOptions random_faults(Random& random, std::uint64_t seed);
/// Describes the faults in words; empty if there are none.
[[nodiscard]] std::string describe(const platform::FaultOptions& faults);

}  // namespace troupe::tests
