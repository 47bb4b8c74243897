/// Faults of devices for random programs.
#pragma once

#include <cstdint>
#include <string>

#include "platform/accelerators/fault_plan.hpp"
#include "proto/random.hpp"

namespace troupe::tests {

/// One or more kinds of fault, seldom or often, so that most runs have some and few have nothing else.
[[nodiscard]] platform::FaultOptions random_faults(Random& random, std::uint64_t seed);
/// For people; empty where nothing fails.
[[nodiscard]] std::string describe(const platform::FaultOptions& faults);

}  // namespace troupe::tests
