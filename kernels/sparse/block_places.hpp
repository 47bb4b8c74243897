/// What batched calls on super-blocks have for operands, as host and device code see it.
#pragma once

#include <cstdint>

namespace troupe::kernels {

/// As many products as three full super-blocks of the largest side have: the most that a step's calls have together.
inline constexpr int kMostBatched = 8 * 8 * 8;

/// The operands of all calls of a step, by their places in the memory of their super-blocks: what came before them
/// there. So small that all of it is an argument of one launch.
struct BlockPlaces {
  std::uint8_t left[kMostBatched];
  std::uint8_t right[kMostBatched];
  std::uint8_t result[kMostBatched];
};

}  // namespace troupe::kernels
