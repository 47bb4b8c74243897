/// Assigns rows to diagonal elements so that the diagonal is large, and finds scales that make it stand out.
#pragma once

#include <cstdint>
#include <vector>

#include "linalg/sparse/compressed_matrix.hpp"

namespace troupe::linalg {

struct DiagonalMatching {
  /// Entry j is the row whose element in column j becomes the diagonal one.
  std::vector<std::int32_t> row_of;
  /// The scales are powers of two, so that scaling loses no digits. With row i times `row_scale[i]` and column j times
  /// `col_scale[j]` the elements on the diagonal have an absolute value within a factor of two of one, and all others
  /// are at most 2.
  std::vector<double> row_scale;
  std::vector<double> col_scale;
};

/// Returns the matching with the largest product of absolute values on the diagonal, and the scales from its dual
/// variables: I. S. Duff and J. Koster, On Algorithms for Permuting Large Entries to the Diagonal of a Sparse Matrix,
/// SIAM J. Matrix Anal. Appl. 22 (2001), section 4 ("MC64", option 5). It finds a shortest augmenting path for each row
/// that a first guess leaves unmatched. Throws `numerical` with a row for which no diagonal element is left: such a
/// matrix is singular, whatever its values are.
[[nodiscard]] DiagonalMatching match_diagonal(const CompressedMatrix& a);

}  // namespace troupe::linalg
