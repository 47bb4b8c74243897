/// Policies with random options.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "proto/random.hpp"

namespace troupe::tests {

/// Returns true with a probability of `percent` in 100.
inline bool chance(Random& random, std::uint32_t percent) { return random.below(100) < percent; }

template <class T, std::size_t N>
T pick(Random& random, const std::array<T, N>& from) {
  return from[random.below(static_cast<std::uint32_t>(N))];
}

/// Draws any existing policy and some of its options. The text is valid as `RuntimeOptions::policy`.
[[nodiscard]] std::string random_policy(Random& random);

}  // namespace troupe::tests
