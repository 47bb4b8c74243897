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

/// One scaled residual: the error over (the size of the problem) x (norm of the data) x eps, where eps is what LAPACK's
/// lamch('E') returns: half the distance from 1 to the next number of type `T`. It is NaN if the result contains a NaN.
struct Residual {
  /// The measured quantity, as a formula.
  std::string formula;
  double value = 0;

  [[nodiscard]] bool accepted() const { return value < kResidualBound; }  ///< NaN is not accepted.
};

/// Returns the 1-norm, summed in double: the largest sum of a column's absolute values. NaN if an element is NaN.
template <class T>
double one_norm(const DenseMatrix<T>& a);

// Each of the first three needs memory for two more matrices like A while it runs, waits for all tasks of the runtime,
// and throws their failures. All throw `invalid_argument` if sizes differ. `a` is the matrix before it was factorized.

/// Returns |A - L L^T| / (n |A| eps), in the 1-norm, from the lower triangles. `l` is the result of `cholesky`.
template <class T>
Residual cholesky_residual(Runtime& runtime, const DenseMatrix<T>& a, const TiledMatrix<T>& l);

/// Returns |P A - L U| / (n |A| eps), in the 1-norm. `pivots` is empty if there was no pivoting. Throws
/// `invalid_argument` for a pivot that is no row.
template <class T>
Residual lu_residual(Runtime& runtime, const DenseMatrix<T>& a, const TiledMatrix<T>& lu,
                     const std::vector<int>& pivots);

/// Returns |A - L U| / (n g |A| eps), in the 1-norm, where L is the product of all exchanges and eliminations and g, at
/// least 1, the growth: the largest element of U over that of A. `lu` is the result of `lu_incremental`. The error of
/// any LU is bounded by n g |A| eps (J. H. Wilkinson, Error Analysis of Direct Methods of Matrix Inversion, J. ACM 8,
/// 1961). With partial pivoting g is small enough to be left out; here it rises with the number of tiles in a column,
/// and without g correct factors of large matrices in small tiles would be refused.
template <class T>
Residual incremental_lu_residual(Runtime& runtime, const DenseMatrix<T>& a, const TiledMatrix<T>& lu,
                                 const IncrementalFactors<T>& factors);

/// Returns |A - Q R| / (m |A| eps) and |I - Q^T Q| / (m eps), in the 1-norm.
template <class T>
std::vector<Residual> qr_residuals(Runtime& runtime, const DenseMatrix<T>& a, const TiledMatrix<T>& qr,
                                   const QrFactors<T>& factors);

/// Returns |B - A X| / (n |A| |X| eps), in the 1-norm, the largest over the columns. Sums are taken in double. LAPACK's
/// own programs, which test small systems, divide by n for factorizations only; PLASMA's and HPL's programs divide by n
/// here as well.
template <class T>
Residual solve_residual(const DenseMatrix<T>& a, const DenseMatrix<T>& x, const DenseMatrix<T>& b);

}  // namespace troupe::linalg
