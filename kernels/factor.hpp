/// Factorizations of tiles and panels, given as column-major views of float or double.
#pragma once

#include <cstdint>
#include <span>

#include "troupe/layout.hpp"
#include "troupe/team.hpp"

namespace troupe::kernels {

/// Computes the Cholesky factor L, with A = L L^T, in the lower triangle of A. The upper triangle is neither read nor
/// written. Returns 0, or the order of the leading minor that is not positive definite.
template <class T>
int potrf(MatrixView<T> a);

/// Computes LU with partial pivoting of a panel (rows >= columns): A <- L (unit lower) and U. `pivots[i]` is the row,
/// counted from zero, with which row i was exchanged; `pivots` has as many elements as A has columns. Returns 0, or the
/// first i (from 1) with U(i, i) = 0.
template <class T>
int factor_panel(MatrixView<T> a, std::span<int> pivots);

/// Computes A <- L (unit lower) and U without exchanging rows. Returns 0, or the first i (from 1) with U(i, i) = 0, at
/// which the function stops.
template <class T>
int getrf_without_pivoting(MatrixView<T> a);

/// Counts the pivots that were replaced, because they were too small to divide by.
struct ReplacedPivots {
  std::int64_t count = 0;
  /// The row of the first such pivot, counted from zero. It has no meaning if there is no such pivot.
  std::int64_t first = 0;

  /// Adds the replaced pivots of a later block, whose first row is row `above`.
  void add(const ReplacedPivots& later, std::int64_t above) {
    if (count == 0 && later.count > 0) first = later.first + above;
    count += later.count;
  }
};

/// Factorizes as `getrf_without_pivoting` does, but a pivot whose absolute value is below `least` becomes `least`, with
/// its sign. Such pivots are added to `replaced`. If `least` is positive, the factorization never breaks down.
template <class T>
int getrf_replacing_pivots(MatrixView<T> a, T least, ReplacedPivots& replaced);

/// Computes B <- op(A)^-1 B (`side` 'L') or B op(A)^-1 ('R'), where A is the triangle `uplo` ('L', 'U') of the matrix,
/// op(A) is A (`trans` 'N') or A^T ('T'), and the diagonal is ones if `diag` is 'U'.
template <class T>
void solve_triangular(char side, char uplo, char trans, char diag, MatrixView<const T> a, MatrixView<T> b);

// The functions below work in a team. A team of one does what the functions above do.

/// Factorizes the square block of the first rows of A as `potrf` above does. Then updates the other rows A_b with the
/// factor: A_b <- A_b L^-T. A_b is undefined if the result is not 0.
template <class T>
int potrf(Team& team, MatrixView<T> a);
/// Factorizes as `getrf_without_pivoting` above does; A needs at least as many rows as columns.
template <class T>
int getrf_without_pivoting(Team& team, MatrixView<T> a);
template <class T>
int factor_panel(Team& team, MatrixView<T> a, std::span<int> pivots);
/// Solves like the function above. The members of the team divide the right-hand sides, so a team does not help if
/// there are only a few.
template <class T>
void solve_triangular(Team& team, char side, char uplo, char trans, char diag, MatrixView<const T> a, MatrixView<T> b);

}  // namespace troupe::kernels
