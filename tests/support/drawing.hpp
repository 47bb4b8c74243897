/// Random decisions and numbers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "proto/random.hpp"

namespace troupe::tests {

/// Returns true with a probability of `percent` in 100.
inline bool chance(Random& random, std::uint32_t percent) { return random.below(100) < percent; }

/// Returns a number that is uniform in [least, most).
inline double between(Random& random, double least, double most) {
  return least + (most - least) * static_cast<double>(random.next() >> 11U) * 0x1p-53;
}

template <class T, std::size_t N>
T pick(Random& random, const std::array<T, N>& from) {
  return from[random.below(static_cast<std::uint32_t>(N))];
}

}  // namespace troupe::tests
