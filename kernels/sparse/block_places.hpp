/// The operands of batched calls on super-blocks, as host and device code see them.
#pragma once

#include <cstdint>

namespace troupe::kernels {

/// The most products that a step's calls have together: as many as three full super-blocks of the largest side have.
inline constexpr int kMostBatched = 8 * 8 * 8;

/// The operands of all calls of a step, by their places in the memory of their super-blocks: the number of blocks
/// before them. They are so small that all of them are an argument of one launch.
struct BlockPlaces {
  std::uint8_t left[kMostBatched];
  std::uint8_t right[kMostBatched];
  std::uint8_t result[kMostBatched];
};

}  // namespace troupe::kernels
