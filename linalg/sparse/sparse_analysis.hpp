/// The analysis of a sparse system before the numerical factorization.
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
  /// The number of rows of a block; 0 chooses the number with the least predicted time. Small blocks contain fewer
  /// zeros; operations on large blocks run faster.
  std::int64_t block = 0;
  /// The number of blocks on a side of a super-block, which is the data of one task; 0 chooses the number by the size
  /// of a block.
  int side = 0;
};

struct SparseAnalysis {
  /// Element (i, j) of the matrix is at row `place_of_row[i]` and column `place_of_col[j]` of the block matrix.
  std::vector<std::int32_t> place_of_row;
  std::vector<std::int32_t> place_of_col;
  /// The scales of the rows and columns, see `DiagonalMatching`.
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

  /// Returns the size of all full blocks, with elements of `element_bytes` bytes.
  [[nodiscard]] Bytes stored_bytes(std::size_t element_bytes) const {
    return {static_cast<std::uint64_t>(pattern.count() * cut.block * cut.block) * element_bytes};
  }
  /// Returns the row of the matrix that is row `place` of the block matrix. Throws `invalid_argument` if there is none,
  /// for example in the padding.
  [[nodiscard]] std::int64_t row_at(std::int64_t place) const;
};

/// Matches rows to the diagonal, orders the unknowns and finds the fill-in. Throws `numerical` for a matrix that is
/// singular for any values of its elements, `invalid_argument` for a cut that is impossible or gives more than 16384
/// blocks on a side, `platform` for an ordering that this build does not have.
[[nodiscard]] SparseAnalysis analyse(const CompressedMatrix& a, const SparseOptions& options);

/// Fills `blocks` with the scaled and ordered elements of `a`, and with ones on the diagonal in the padding. Returns
/// the largest absolute value of the scaled elements.
template <class T>
double scatter(const CompressedMatrix& a, const SparseAnalysis& analysis, BlockMatrix<T>& blocks);

/// Returns the value that replaces smaller pivots: `largest`, the largest scaled element, times the square root of the
/// precision of `T`. The value 1 that `scatter` writes to the diagonal of the padding is always larger, because
/// `largest` is about 1.
template <class T>
[[nodiscard]] double least_pivot(double largest) {
  return std::sqrt(static_cast<double>(std::numeric_limits<T>::epsilon())) * largest;
}

}  // namespace troupe::linalg
