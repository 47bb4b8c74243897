/// Factorizations of tiles and panels, on views. Column-major; float and double.
#pragma once

#include <span>

#include "graph/codelets/layout.hpp"

namespace troupe::kernels {

/// The lower triangle of A <- L, A = L L^T. The upper triangle is neither read nor written. Returns 0, or the order
/// of the leading minor that is not positive definite.
template <class T>
int potrf(MatrixView<T> a);

/// LU with partial pivoting of a panel (rows >= columns): A <- L (unit lower) and U. `pivots[i]`: the row, counted
/// from zero, that row i was exchanged with; as many as columns. Returns 0, or the first i (from 1) with U(i, i) = 0.
template <class T>
int factor_panel(MatrixView<T> a, std::span<int> pivots);

/// A <- L (unit lower) and U without exchanging rows. Returns 0, or the first i (from 1) with U(i, i) = 0, where it
/// stopped.
template <class T>
int getrf_without_pivoting(MatrixView<T> a);

/// B <- op(A)^-1 B (`side` 'L') or B op(A)^-1 ('R') for the triangle `uplo` ('L', 'U') of A, op by `trans` ('N', 'T'),
/// with a unit diagonal where `diag` is 'U'.
template <class T>
void solve_triangular(char side, char uplo, char trans, char diag, MatrixView<const T> a, MatrixView<T> b);

}  // namespace troupe::kernels
