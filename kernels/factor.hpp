/// Factorizations of tiles and panels, on views. Column-major; float and double.
#pragma once

#include <cstdint>
#include <span>

#include "graph/codelets/layout.hpp"
#include "graph/codelets/team.hpp"

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

/// Pivots that were too small to be divided by.
struct ReplacedPivots {
  std::int64_t count = 0;
  /// The row of the first, counted from zero; of no meaning where there is none.
  std::int64_t first = 0;

  /// Those of what lies `above` rows further down.
  void add(const ReplacedPivots& later, std::int64_t above) {
    if (count == 0 && later.count > 0) first = later.first + above;
    count += later.count;
  }
};

/// The same where a pivot whose absolute value is below `least` becomes that, with its sign. They are added to
/// `replaced`. With a positive `least` it always goes to the end.
template <class T>
int getrf_replacing_pivots(MatrixView<T> a, T least, ReplacedPivots& replaced);

/// B <- op(A)^-1 B (`side` 'L') or B op(A)^-1 ('R') for the triangle `uplo` ('L', 'U') of A, op by `trans` ('N', 'T'),
/// with a unit diagonal where `diag` is 'U'.
template <class T>
void solve_triangular(char side, char uplo, char trans, char diag, MatrixView<const T> a, MatrixView<T> b);

// In a team. A team of one does what the functions above do.

/// As `potrf` on the first rows of A, as many as columns; the others are solved with the factor: A_b <- A_b L^-T. They
/// are undefined where it does not return 0.
template <class T>
int potrf(Team& team, MatrixView<T> a);
/// As `getrf_without_pivoting`; rows >= columns.
template <class T>
int getrf_without_pivoting(Team& team, MatrixView<T> a);
template <class T>
int factor_panel(Team& team, MatrixView<T> a, std::span<int> pivots);
/// Right-hand sides are divided, so that a team has no use for a few.
template <class T>
void solve_triangular(Team& team, char side, char uplo, char trans, char diag, MatrixView<const T> a, MatrixView<T> b);

}  // namespace troupe::kernels
