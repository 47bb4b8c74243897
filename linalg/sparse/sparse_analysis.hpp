/// The decisions about a sparse system before any number is factorized.
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
#include "troupe/units.hpp"

namespace troupe::linalg {

struct SparseOptions {
  Ordering ordering = Ordering::automatic;
  /// The number of rows of a block; 0: the number with the least predicted time. Small blocks hold fewer zeros, large
  /// ones run faster.
  std::int64_t block = 0;
  /// The number of blocks on a side of a super-block, which is one task's data; 0: chosen by the size of a block.
  int side = 0;
};

struct SparseAnalysis {
  /// Element (i, j) of the matrix belongs to row `place_of_row[i]` and column `place_of_col[j]` of the blocks.
  std::vector<std::int32_t> place_of_row;
  std::vector<std::int32_t> place_of_col;
  /// See `DiagonalMatching`.
  std::vector<double> row_scale;
  std::vector<double> col_scale;
  /// The ordering that was chosen.
  Ordering ordering = Ordering::natural;
  BlockCut cut;
  /// The pattern with fill-in; every block on the diagonal is full.
  BlockPattern pattern{0};
  /// The number of blocks that are full before fill-in.
  std::int64_t blocks_before = 0;
  BlockWork work;

  /// The size of all blocks, with elements of so many bytes.
  [[nodiscard]] Bytes stored_bytes(std::size_t element_bytes) const {
    return {static_cast<std::uint64_t>(pattern.count() * cut.block * cut.block) * element_bytes};
  }
  /// Returns the row of the matrix that is row `place` of the blocks. Throws `invalid_argument` where there is none, in
  /// padding.
  [[nodiscard]] std::int64_t row_at(std::int64_t place) const;
};

/// Matches rows to the diagonal, orders the unknowns and finds the fill-in. Throws `numerical` for a matrix that is
/// singular whatever its values are, `invalid_argument` for a cut that is impossible or makes more than 16384 blocks on
/// a side, `platform` for an ordering that this build does not have.
[[nodiscard]] SparseAnalysis analyse(const CompressedMatrix& a, const SparseOptions& options);

/// Fills a matrix of such blocks with the scaled and ordered elements of `a`, and ones on the diagonal below them.
/// Returns the largest absolute value of the scaled elements.
template <class T>
double scatter(const CompressedMatrix& a, const SparseAnalysis& analysis, BlockMatrix<T>& blocks);

/// Returns the value that replaces smaller pivots of elements of type `T`, where `largest` is the largest scaled
/// element: its product with the square root of the precision. The ones that `scatter` adds are always larger, as the
/// largest is about 1.
template <class T>
[[nodiscard]] double least_pivot(double largest) {
  return std::sqrt(static_cast<double>(std::numeric_limits<T>::epsilon())) * largest;
}

}  // namespace troupe::linalg
