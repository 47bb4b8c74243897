/// The operands of batched calls on super-blocks, in a form that host and device code share.
#pragma once

#include <cstdint>

namespace troupe::kernels {

/// The largest number of products in the calls of a step: the number of products if all three super-blocks are full and
/// have the largest side.
inline constexpr int kMostBatched = 8 * 8 * 8;

/// The operands of all calls of a step. Each operand is given by its place: the number of full blocks before it in the
/// memory of its super-block. A place has one byte, so that all places fit into the arguments of one launch.
struct BlockPlaces {
  std::uint8_t left[kMostBatched];
  std::uint8_t right[kMostBatched];
  std::uint8_t result[kMostBatched];
};

}  // namespace troupe::kernels
