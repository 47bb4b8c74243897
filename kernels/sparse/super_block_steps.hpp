/// The steps of LU without pivoting on super-blocks. Each step is a loop over independent pieces.
#pragma once

#include <cstdint>

#include "kernels/factor.hpp"
#include "kernels/sparse/super_block.hpp"

namespace troupe::kernels {

// Every block is computed by the same products in the same order, for every side of the super-blocks and every division
// of the pieces among members, so the bits of the result are always the same. A product is skipped if its result is not
// a full block.

/// Factorizes the diagonal super-block: D <- L (unit lower) and U. This step is one piece, because each block depends
/// on the blocks before it. A pivot whose absolute value is below `least` becomes `least`, with its sign. If `least` is
/// zero, the function stops at the first U(i, i) = 0 and returns i, counted from 1. Otherwise returns 0. All blocks on
/// the diagonal before the last full block must be full, too.
template <class T>
int factorize_super_block(const SuperBlock<T>& d, T least, ReplacedPivots& replaced);

/// Computes A <- A U^-1, where U is the upper triangle of D. A piece is a row of blocks.
template <class T>
class SolveWithUpper {
 public:
  SolveWithUpper(SuperBlock<const T> d, SuperBlock<T> a) : d_(d), a_(a) {}
  [[nodiscard]] int count() const { return a_.side(); }
  void piece(int row) const;

 private:
  SuperBlock<const T> d_;
  SuperBlock<T> a_;
};

/// Computes B <- L^-1 B, where L is the unit lower triangle of D. A piece is a column of blocks.
template <class T>
class SolveWithLower {
 public:
  SolveWithLower(SuperBlock<const T> d, SuperBlock<T> b) : d_(d), b_(b) {}
  [[nodiscard]] int count() const { return b_.side(); }
  void piece(int col) const;

 private:
  SuperBlock<const T> d_;
  SuperBlock<T> b_;
};

/// Computes C <- C - A B. Each piece is one block of C, given by its place in memory.
template <class T>
class SubtractProduct {
 public:
  SubtractProduct(SuperBlock<const T> a, SuperBlock<const T> b, SuperBlock<T> c) : a_(a), b_(b), c_(c) {}
  [[nodiscard]] int count() const { return c_.count(); }
  void piece(int at) const;

 private:
  SuperBlock<const T> a_;
  SuperBlock<const T> b_;
  SuperBlock<T> c_;
};

// The next functions return the numbers of operations of the steps, computed from the masks alone.

[[nodiscard]] double factorization_flops(BlockMask d, int side, std::int64_t block);
[[nodiscard]] double upper_solve_flops(BlockMask d, BlockMask a, int side, std::int64_t block);
[[nodiscard]] double lower_solve_flops(BlockMask d, BlockMask b, int side, std::int64_t block);
[[nodiscard]] double product_flops(BlockMask a, BlockMask b, BlockMask c, int side, std::int64_t block);

}  // namespace troupe::kernels
