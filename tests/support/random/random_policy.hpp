/// Policies with random options.
#pragma once

#include <string>

#include "proto/random.hpp"

namespace troupe::tests {

/// Draws any existing policy and some of its options. The text is valid as `RuntimeOptions::policy`.
[[nodiscard]] std::string random_policy(Random& random);

}  // namespace troupe::tests
