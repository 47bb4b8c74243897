/// A sparse system of equations that is factorized by blocks, solved and refined.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/factor.hpp"
#include "linalg/residuals.hpp"
#include "linalg/sparse/block_matrix.hpp"
#include "linalg/sparse/compressed_matrix.hpp"
#include "linalg/sparse/sparse_analysis.hpp"
#include "troupe/runtime.hpp"

namespace troupe::linalg {

/// The result of solving and refining.
struct SparseSolution {
  std::vector<double> x;
  /// The number of corrections after the first solution.
  int refinements = 0;
  /// The residual |b - A x| / (n |A| |x| eps), in the 1-norm.
  Residual residual;
  /// The largest |b - A x|_i / (|A| |x| + |b|)_i (W. Oettli and W. Prager, 1964); infinite if x is not finite.
  double backward_error = 0;
  /// The row of the matrix, counted from zero, with the largest backward error.
  std::int64_t worst_row = 0;
  /// True if, in `worst_row`, elements of x, or products with elements of x, are too large for a double, or so small
  /// that a double has fewer digits for them.
  bool out_of_range = false;
  /// The bound of `backward_error`: the square root of the precision. If pivots were replaced, the bound is a hundred
  /// roundings, because the replacement itself changes the matrix by about that square root.
  double backward_error_bound = 0;
  /// True if pivots were replaced and x is larger than the square root of the precision allows.
  bool nearly_singular = false;

  [[nodiscard]] bool accepted() const { return residual.accepted() && backward_error <= backward_error_bound; }
};

/// LU without pivoting of a matrix whose rows were matched to a large diagonal, scaled and ordered. Pivots that are
/// still too small (below `least_pivot`) are replaced by that value, as in SuperLU_DIST (X. S. Li and J. W. Demmel,
/// Making Sparse Gaussian Elimination Scalable by Static Pivoting, SC 1998). Iterative refinement corrects the effect
/// of a few replaced pivots. The matrix is never stored as a dense matrix. The factors are of type `T`, float or
/// double; residuals are computed in double. The matrix and the runtime must outlive this object. Only one thread at a
/// time may use the object.
template <class T>
class SparseFactorization {
 public:
  /// Analyses and factorizes; waits for the tasks of the factorization. Throws the errors of `analyse`,
  /// `out_of_memory`, and the failures of tasks.
  SparseFactorization(Runtime& runtime, const CompressedMatrix& a, const SparseOptions& options = {});
  /// Factorizes a matrix for which `analyse` was already called.
  SparseFactorization(Runtime& runtime, const CompressedMatrix& a, SparseAnalysis analysis);

  [[nodiscard]] const SparseAnalysis& analysis() const { return analysis_; }
  [[nodiscard]] const BlockMatrix<T>& factors() const { return *factors_; }
  /// Returns the replaced pivots. Their `first` is a row of the matrix, counted from zero.
  [[nodiscard]] const kernels::ReplacedPivots& replaced() const { return replaced_; }
  /// The smallest pivot: its row in the matrix, counted from zero, and its absolute value in the scaled matrix. If
  /// pivots are NaN, the first NaN counts as the smallest pivot.
  struct SmallestPivot {
    std::int64_t row = 0;
    double size = 0;
  };
  [[nodiscard]] SmallestPivot smallest_pivot() const;
  /// Returns the wall-clock seconds of the factorization, without the analysis.
  [[nodiscard]] double factorization_seconds() const { return factorization_seconds_; }

  /// Solves A x = b, and refines x as long as the error falls. Throws `invalid_argument` if the size of b is not the
  /// number of the matrix's rows.
  [[nodiscard]] SparseSolution solve(const std::vector<double>& b) const;

 private:
  /// Returns the solution of A x = b without refinement. For refinement, `b` is a residual, and the result is a
  /// correction.
  [[nodiscard]] std::vector<double> solve_once(const std::vector<double>& b) const;

  const CompressedMatrix& a_;
  SparseAnalysis analysis_;
  std::unique_ptr<BlockMatrix<T>> factors_;
  kernels::ReplacedPivots replaced_;
  double factorization_seconds_ = 0;
};

}  // namespace troupe::linalg
