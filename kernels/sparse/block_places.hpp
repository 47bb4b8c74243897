/// The operands of batched calls on super-blocks, in a form that host and device code share.
#pragma once

#include <cstdint>

namespace troupe::kernels {

/// The largest number of products in a step's calls: as many as three full super-blocks of the largest side have.
inline constexpr int kMostBatched = 8 * 8 * 8;

/// The operands of all calls of a step. Each operand is given by its place in the memory of its super-block, which is
/// the number of blocks before it. The places are so small that all of them are an argument of one launch.
struct BlockPlaces {
  std::uint8_t left[kMostBatched];
  std::uint8_t right[kMostBatched];
  std::uint8_t result[kMostBatched];
};

}  // namespace troupe::kernels
