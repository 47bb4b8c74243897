/// Super-blocks: squares of blocks. Only blocks that are not empty, called full blocks, are stored.
#pragma once

#include <bit>
#include <cstdint>

#include "kernels/block_rows.hpp"
#include "troupe/layout.hpp"

namespace troupe::kernels {

/// The set of full blocks of a super-block: bit i + j * side for the block in row i and column j.
using BlockMask = std::uint64_t;

/// The largest number of blocks on a side: a mask has one bit for each block of such a square.
inline constexpr int kLargestSide = 8;

[[nodiscard]] constexpr BlockMask block_bit(int i, int j, int side) { return BlockMask{1} << (i + j * side); }
[[nodiscard]] constexpr bool is_full(BlockMask mask, int i, int j, int side) {
  return (mask & block_bit(i, j, side)) != 0;
}
/// Returns the place of a full block in memory: the number of full blocks before it.
[[nodiscard]] constexpr int place_of(BlockMask mask, int i, int j, int side) {
  return std::popcount(mask & (block_bit(i, j, side) - 1));
}

/// A super-block in memory. Its full blocks are column-major, b x b each, and lie in the order of their bits in the
/// mask, so together they are a matrix with b rows. Does not own the memory.
template <class T>
class SuperBlock {
 public:
  SuperBlock(MatrixView<T> packed, BlockMask mask, std::int64_t side)
      : packed_(packed), mask_(mask), side_(static_cast<int>(side)) {}

  /// Returns all full blocks, as one matrix.
  [[nodiscard]] MatrixView<T> packed() const { return packed_; }
  [[nodiscard]] BlockMask mask() const { return mask_; }
  [[nodiscard]] int side() const { return side_; }
  [[nodiscard]] std::int64_t block_order() const { return packed_.rows; }
  [[nodiscard]] int count() const { return std::popcount(mask_); }
  [[nodiscard]] bool full(int i, int j) const { return is_full(mask_, i, j, side_); }
  /// Returns the bit of the block that lies at this place in memory.
  [[nodiscard]] int bit_at(int place) const {
    BlockMask rest = mask_;
    for (; place > 0; --place) rest &= rest - 1;
    return std::countr_zero(rest);
  }
  /// Returns block (`i`, `j`), which must be full.
  [[nodiscard]] MatrixView<T> block(int i, int j) const {
    return columns_from(packed_, place_of(mask_, i, j, side_) * packed_.rows, packed_.rows);
  }
  [[nodiscard]] SuperBlock<const T> constant() const { return {kernels::constant(packed_), mask_, side_}; }

 private:
  MatrixView<T> packed_;
  BlockMask mask_;
  int side_;
};

}  // namespace troupe::kernels
