/// LU of a tile and of pairs of tiles, with row exchanges inside each tile or pair: the steps of LU with incremental
/// pivoting.
#pragma once

#include <span>

#include "kernels/checks/pivots.hpp"
#include "troupe/layout.hpp"
#include "troupe/team.hpp"

namespace troupe::kernels {

// These functions correspond to PLASMA's gessm, tstrf and ssssm: A. Buttari, J. Langou, J. Kurzak and J. Dongarra, A
// Class of Parallel Tiled Linear Algebra Algorithms for Multicore Architectures, Parallel Computing 35 (2009), section
// 3; E. S. Quintana-Orti and R. A. van de Geijn, Updating an LU Factorization with Pivoting, ACM TOMS 35 (2008).
//
// The rows of a pair [U; B] are counted together: first the rows of U, which is square, then the rows of B. The pair is
// factorized in blocks of `inner` columns; L has `inner` rows. Each block is applied only to the columns to its right:
// columns that were eliminated before keep the row order in which they were computed. So the blocks must be applied one
// after the other. L has, side by side, the unit lower triangle of each block, without its diagonal.

/// Computes C <- L^-1 P C, where L is the unit lower trapezoid in V, and P has the row exchanges of V's LU
/// factorization (`pivots`).
template <class T>
void gessm(MatrixView<const T> v, const CheckedPivots& pivots, MatrixView<T> c);
/// Computes C <- P^T L C, the inverse of `gessm`.
template <class T>
void gessm_back(MatrixView<const T> v, const CheckedPivots& pivots, MatrixView<T> c);

/// Computes the LU factorization of the square upper triangle U on top of B. Below U's diagonal nothing is read or
/// written. `pivots[i]` is the row of the pair with which row i was exchanged. If a column has only zeros, its element
/// on U's diagonal stays zero.
template <class T>
void tstrf(Team& team, MatrixView<T> u, MatrixView<T> b, MatrixView<T> l, std::span<int> pivots);

/// Applies the elimination by `tstrf` to other columns of the pair: to A, which has as many rows as U, and to C, which
/// has as many rows as B.
template <class T>
void ssssm(MatrixView<const T> b, MatrixView<const T> l, const CheckedPivots& pivots, MatrixView<T> a, MatrixView<T> c);
/// Applies the inverse of `ssssm`.
template <class T>
void ssssm_back(MatrixView<const T> b, MatrixView<const T> l, const CheckedPivots& pivots, MatrixView<T> a,
                MatrixView<T> c);

}  // namespace troupe::kernels
