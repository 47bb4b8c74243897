/// Assigns rows to columns so that the diagonal elements are large, and finds scales that make other elements small.
#pragma once

#include <cstdint>
#include <vector>

#include "linalg/sparse/compressed_matrix.hpp"

namespace troupe::linalg {

struct DiagonalMatching {
  /// Entry j is the row whose element in column j becomes a diagonal element.
  std::vector<std::int32_t> row_of;
  /// The scales are powers of two, so that scaling loses no digits. If row i is multiplied by `row_scale[i]` and column
  /// j by `col_scale[j]`, the absolute values on the diagonal are between 1/2 and 2, and all other absolute values are
  /// at most 2.
  std::vector<double> row_scale;
  std::vector<double> col_scale;
};

/// Returns the matching with the largest product of absolute values on the diagonal, and the scales from its dual
/// variables: I. S. Duff and J. Koster, On Algorithms for Permuting Large Entries to the Diagonal of a Sparse Matrix,
/// SIAM J. Matrix Anal. Appl. 22 (2001), section 4 ("MC64", option 5). The function finds a shortest augmenting path
/// for each row that a first guess does not match. Throws `numerical` if there is no such matching: the matrix is then
/// singular for any values of its elements. The message names a row without a diagonal element.
[[nodiscard]] DiagonalMatching match_diagonal(const CompressedMatrix& a);

}  // namespace troupe::linalg
