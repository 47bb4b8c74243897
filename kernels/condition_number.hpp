/// Estimates how near a matrix is to a singular matrix.
#pragma once

#include "troupe/layout.hpp"

namespace troupe::kernels {

/// The functions here estimate 1 / (|A| |A^-1|) in the 1-norm from the factors of A, as LAPACK's expert drivers do
/// (gecon, pocon, trcon). The result is seldom more than three times too large, and zero if A^-1 overflows. `norm` is
/// the 1-norm of A. Each function needs about n^2 operations, in the calling thread. No element of the factors may be
/// infinite or NaN.
///
/// Returns the estimate from LU with row exchanges, as getrf leaves it.
template <class T>
[[nodiscard]] T reciprocal_condition_of_lu(MatrixView<const T> lu, T norm);
/// Returns the estimate from the lower triangle of Cholesky's L.
template <class T>
[[nodiscard]] T reciprocal_condition_of_cholesky(MatrixView<const T> l, T norm);
/// Returns the estimate for the upper triangle R itself; the estimate for A = Q R differs by a factor of at most n.
template <class T>
[[nodiscard]] T reciprocal_condition_of_triangle(MatrixView<const T> r);

}  // namespace troupe::kernels
