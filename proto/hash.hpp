/// A hash of a sequence of numbers.
#pragma once

#include <cstdint>

namespace troupe {

/// Returns the hash of a sequence of numbers whose last number is `value`. `hash` is the hash of the numbers before.
[[nodiscard]] constexpr std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  hash ^= value + 0x9e3779b97f4a7c15ULL + (hash << 6U) + (hash >> 2U);
  return hash * 0xff51afd7ed558ccdULL;
}

}  // namespace troupe
