/// A sparse system of equations: factorized by blocks, solved and refined.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "client/runtime.hpp"
#include "kernels/factor.hpp"
#include "linalg/residuals.hpp"
#include "linalg/sparse/block_matrix.hpp"
#include "linalg/sparse/compressed_matrix.hpp"
#include "linalg/sparse/sparse_analysis.hpp"

namespace troupe::linalg {

/// What came of refining a solution.
struct SparseSolution {
  std::vector<double> x;
  /// Corrections after the first solution.
  int refinements = 0;
  /// |b - A x| / (n |A| |x| eps), in the 1-norm.
  Residual residual;
  /// The largest |b - A x|_i / (|A| |x| + |b|)_i (W. Oettli and W. Prager, 1964); infinite where x is not finite.
  double backward_error = 0;
  /// The row of the matrix, from zero, that has it.
  std::int64_t worst_row = 0;
  /// There, x or its products with the matrix's elements are too large for a double, or so small that it holds them
  /// with fewer digits.
  bool out_of_range = false;
  /// The square root of the precision; a hundred roundings where pivots were replaced, which itself changes the matrix
  /// by about the square root.
  double backward_error_bound = 0;
  /// Pivots were replaced, and x is larger than the square root of the precision allows for.
  bool nearly_singular = false;

  [[nodiscard]] bool accepted() const { return residual.accepted() && backward_error <= backward_error_bound; }
};

/// LU without pivoting of a matrix whose rows were matched to a large diagonal, scaled and ordered. Pivots that are too
/// small all the same (below the square root of the precision, times the largest scaled element) are replaced by
/// that, as SuperLU_DIST does (X. S. Li and J. W. Demmel, Making Sparse Gaussian Elimination Scalable by Static
/// Pivoting, SC 1998); refining makes up for a few. Never is any of it dense. The factors are of type `T`, float or
/// double; residuals are in double. The matrix and the runtime outlive it. One thread at a time.
template <class T>
class SparseFactorization {
 public:
  /// Analyses and factorizes; waits for all tasks of the runtime. Throws what `analyse` throws, `out_of_memory`, and
  /// what tasks failed with.
  SparseFactorization(Runtime& runtime, const CompressedMatrix& a, const SparseOptions& options = {});
  /// The same of a matrix that has been analysed.
  SparseFactorization(Runtime& runtime, const CompressedMatrix& a, SparseAnalysis analysis);

  [[nodiscard]] const SparseAnalysis& analysis() const { return analysis_; }
  [[nodiscard]] const BlockMatrix<T>& factors() const { return *factors_; }
  /// `first` is a row of the matrix, counted from zero.
  [[nodiscard]] const kernels::ReplacedPivots& replaced() const { return replaced_; }
  /// The row of the matrix, from zero, whose pivot has the smallest absolute value, and that value, of the scaled
  /// matrix; where pivots are not numbers, the first of them.
  struct SmallestPivot {
    std::int64_t row = 0;
    double size = 0;
  };
  [[nodiscard]] SmallestPivot smallest_pivot() const;
  /// Wall-clock seconds of what follows the analysis.
  [[nodiscard]] double factorization_seconds() const { return factorization_seconds_; }

  /// Solves A x = b, and corrects x by its residual as long as that helps. Throws `invalid_argument` where b is not as
  /// long as the matrix has rows.
  [[nodiscard]] SparseSolution solve(const std::vector<double>& b) const;

 private:
  /// A correction for this residual.
  [[nodiscard]] std::vector<double> solve_once(const std::vector<double>& b) const;

  const CompressedMatrix& a_;
  SparseAnalysis analysis_;
  std::unique_ptr<BlockMatrix<T>> factors_;
  kernels::ReplacedPivots replaced_;
  double factorization_seconds_ = 0;
};

}  // namespace troupe::linalg
