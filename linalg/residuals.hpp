/// Measures the errors of a factorization and of a solution, on LAPACK's scale.
#pragma once

#include <string>
#include <vector>

#include "linalg/dense_matrix.hpp"
#include "linalg/incremental_lu.hpp"
#include "linalg/lu.hpp"
#include "linalg/qr.hpp"
#include "troupe/tiled_matrix.hpp"

namespace troupe::linalg {

/// The bound below which a scaled residual is accepted: the threshold of LAPACK's test programs (LAPACK Working Note
/// 41).
inline constexpr double kResidualBound = 30;

/// One scaled residual: the error divided by (size of the problem) x (norm of the data) x eps. eps is half the distance
/// from 1 to the next number of type `T`, as LAPACK's lamch('E') returns it. The residual is NaN if the result contains
/// a NaN.
struct Residual {
  /// The measured quantity, as a formula.
  std::string formula;
  double value = 0;

  [[nodiscard]] bool accepted() const { return value < kResidualBound; }  ///< NaN is not accepted.
};

/// Returns the 1-norm, summed in double: the largest sum of a column's absolute values. NaN if an element is NaN.
template <class T>
double one_norm(const DenseMatrix<T>& a);

// The next four functions need memory for two more matrices like A while they run, wait for all tasks of the runtime,
// and throw the failures of these tasks. All functions throw `invalid_argument` if sizes differ. `a` is the matrix
// before the factorization.

/// Returns |A - L L^T| / (n |A| eps), in the 1-norm, from the lower triangles. `l` is the result of `cholesky`.
template <class T>
Residual cholesky_residual(Runtime& runtime, const DenseMatrix<T>& a, const TiledMatrix<T>& l);

/// Returns |P A - L U| / (n |A| eps), in the 1-norm. `pivots` is empty if there was no pivoting. Throws
/// `invalid_argument` if a pivot is not a row.
template <class T>
Residual lu_residual(Runtime& runtime, const DenseMatrix<T>& a, const TiledMatrix<T>& lu,
                     const std::vector<int>& pivots);

/// Returns |A - L U| / (n g |A| eps), in the 1-norm. L is the product of all exchanges and eliminations. g is the
/// growth: the largest element of U divided by the largest element of A, but at least 1. `lu` is the result of
/// `lu_incremental`. The error of any LU is bounded by n g |A| eps (J. H. Wilkinson, Error Analysis of Direct Methods
/// of Matrix Inversion, J. ACM 8, 1961). With partial pivoting g is so small that it can be left out. Here g rises with
/// the number of tiles in a column: without g, correct factors of large matrices with small tiles would not be
/// accepted.
template <class T>
Residual incremental_lu_residual(Runtime& runtime, const DenseMatrix<T>& a, const TiledMatrix<T>& lu,
                                 const IncrementalFactors<T>& factors);

/// Returns |A - Q R| / (m |A| eps) and |I - Q^T Q| / (m eps), in the 1-norm.
template <class T>
std::vector<Residual> qr_residuals(Runtime& runtime, const DenseMatrix<T>& a, const TiledMatrix<T>& qr,
                                   const QrFactors<T>& factors);

/// Returns |B - A X| / (n |A| |X| eps), in the 1-norm: the largest value over the columns of B. Sums are computed in
/// double. LAPACK's own programs, which test small systems, divide by n only for factorizations; PLASMA's and HPL's
/// programs also divide by n here.
template <class T>
Residual solve_residual(const DenseMatrix<T>& a, const DenseMatrix<T>& x, const DenseMatrix<T>& b);

}  // namespace troupe::linalg
