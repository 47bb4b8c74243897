/// The tile kernels as codelets: what tile algorithms submit.
#pragma once

#include "graph/codelet.hpp"

namespace troupe::kernels {

/// One codelet per kernel, for float or double. All matrices are column-major blocks with a leading dimension. Handles
/// are listed in their order, with their modes (r read, w write, rw read and write); lower and upper say which triangle
/// of a square block is used, unit that its diagonal counts as 1. All of them keep the BLAS library single-threaded
/// while a runtime that has seen them lives, and count their floating-point operations.
template <class T>
struct TileCodelets {
  // Updates: C -= op(A) op(B).
  Codelet gemm_nn;  ///< A r (m x k), B r (k x n), C rw (m x n): C -= A B
  Codelet gemm_nt;  ///< A r (m x k), B r (n x k), C rw (m x n): C -= A B^T
  Codelet gemm_tn;  ///< A r (k x m), B r (k x n), C rw (m x n): C -= A^T B
  Codelet syrk;     ///< A r (n x k), C rw (n x n): lower triangle of C -= A A^T

  // Triangular solves.
  Codelet trsm_cholesky;           ///< L r (lower), A rw: A <- A L^-T
  Codelet trsm_right_upper;        ///< U r (upper), A rw: A <- A U^-1
  Codelet solve_lower;             ///< L r (lower), B rw: B <- L^-1 B
  Codelet solve_lower_transposed;  ///< L r (lower), B rw: B <- L^-T B
  Codelet solve_unit_lower;        ///< L r (unit lower), B rw: B <- L^-1 B
  Codelet solve_upper;             ///< U r (upper), B rw: B <- U^-1 B

  // Factorizations of tiles and panels. `first` (int64): the block's first row in the whole matrix, for errors and
  // pivots. A breakdown throws `numerical` with the row of the whole matrix, counted from 1 as LAPACK does.
  Codelet potrf;                   ///< A rw; first: lower triangle of A <- L, A = L L^T
  Codelet getrf_without_pivoting;  ///< A rw; first: A <- L (unit lower) and U, A = L U
  /// A rw (a block column of the whole matrix), P w (int, as long as the panel is wide); first: factorizes the rows
  /// from `first` on with partial pivoting. P: see `apps::Pivots`, counted from the top of the whole matrix.
  Codelet getrf_panel;
  /// L r (unit lower tile), P r, C rw (a block column); first: exchanges rows of C by P, then C_first <- L^-1 C_first,
  /// where C_first are the rows of C from `first` on, as many as L has.
  Codelet swap_and_solve;
  /// P r (all pivots), C rw (a block column); first: exchanges rows of C by the pivots from number `first` on.
  Codelet swap_rows;

  // Tile QR: LAPACK's routines of the same names. T has as many rows as the inner block.
  Codelet geqrt;              ///< A rw, T w, V w: A = Q R; R in the upper triangle of A, reflectors in V (like A)
  Codelet gemqrt;             ///< V r, T r, C rw: C <- Q C
  Codelet gemqrt_transposed;  ///< V r, T r, C rw: C <- Q^T C
  Codelet tpqrt;              ///< R rw (upper), B rw, T w: QR of R on top of B; reflectors in B
  Codelet tpmqrt;             ///< V r, T r, A rw, B rw: [A; B] <- Q [A; B], with the first rows of A, as many as V has columns
  Codelet tpmqrt_transposed;  ///< the same with Q^T
};

/// The codelets for `T`, built at first use. `T` is float or double.
template <class T>
const TileCodelets<T>& codelets();

}  // namespace troupe::kernels
