/// What is decided about a sparse system before any number is factorized.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "linalg/sparse/block_matrix.hpp"
#include "linalg/sparse/block_pattern.hpp"
#include "linalg/sparse/compressed_matrix.hpp"
#include "linalg/sparse/diagonal_matching.hpp"
#include "linalg/sparse/ordering.hpp"
#include "proto/units.hpp"

namespace troupe::linalg {

struct SparseOptions {
  Ordering ordering = Ordering::automatic;
  /// Rows of a block; 0: the number with the least predicted time. Small blocks hold less that is zero, large ones run
  /// faster.
  std::int64_t block = 0;
  /// Blocks on a side of a super-block, which is one task's data; 0: by the size of a block.
  int side = 0;
};

struct SparseAnalysis {
  /// Element (i, j) of the matrix belongs to row `place_of_row[i]` and column `place_of_col[j]` of the blocks.
  std::vector<std::int32_t> place_of_row;
  std::vector<std::int32_t> place_of_col;
  /// See `DiagonalMatching`.
  std::vector<double> row_scale;
  std::vector<double> col_scale;
  /// That which was chosen.
  Ordering ordering = Ordering::natural;
  BlockCut cut;
  /// With fill-in; every block on the diagonal is full.
  BlockPattern pattern{0};
  /// Full before fill-in.
  std::int64_t blocks_before = 0;
  BlockWork work;

  /// Of all blocks, with elements of so many bytes.
  [[nodiscard]] Bytes stored_bytes(std::size_t element_bytes) const {
    return {static_cast<std::uint64_t>(pattern.count() * cut.block * cut.block) * element_bytes};
  }
  /// The row of the matrix that is row `place` of the blocks. Throws `invalid_argument` where there is none: padding.
  [[nodiscard]] std::int64_t row_at(std::int64_t place) const;
};

/// Matches rows to the diagonal, orders the unknowns and finds what fills in. Throws `numerical` for a matrix that is
/// singular whatever its values are, `invalid_argument` for a cut that cannot be or makes more than 16384 blocks on a
/// side, `platform` for an ordering that this build has not got.
[[nodiscard]] SparseAnalysis analyse(const CompressedMatrix& a, const SparseOptions& options);

/// Fills a matrix of such blocks with the scaled and ordered elements of `a`, and ones on the diagonal below them.
/// Returns the largest absolute value of what was scaled.
template <class T>
double scatter(const CompressedMatrix& a, const SparseAnalysis& analysis, BlockMatrix<T>& blocks);

/// What smaller pivots of elements of type `T` are replaced by, where the largest scaled element is this: its product
/// with the square root of the precision. The ones that `scatter` adds are always larger, as the largest is about 1.
template <class T>
[[nodiscard]] double least_pivot(double largest) {
  return std::sqrt(static_cast<double>(std::numeric_limits<T>::epsilon())) * largest;
}

}  // namespace troupe::linalg
