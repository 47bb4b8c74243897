/// The tile kernels as codelets that tile algorithms submit.
#pragma once

#include "troupe/codelet.hpp"

namespace troupe::kernels {

/// The kernels of LU with incremental pivoting (kernels/incremental_pivoting.hpp), which exchanges rows only inside the
/// diagonal tile and inside pairs of tiles. The head of `TileCodelets` below explains the notation. V has as many rows
/// as a diagonal tile has from the diagonal on; getrf_incpiv and gessm use only these last rows of the tile. Pivots are
/// counted from the diagonal. L has as many rows as the inner block has columns. `last` (int64) is 1 if there is no
/// further tile below, so that a zero on the diagonal of U is a breakdown; else it is 0.
struct IncrementalLuCodelets {
  Codelet getrf_incpiv;  ///< A rw, V w, P w; first, last: P A = L U; stores L and U in A, and also in V
  Codelet gessm;         ///< V r, P r, C rw: C <- L^-1 P C
  Codelet gessm_back;    ///< V r, P r, C rw: C <- P^T L C
  Codelet tstrf;         ///< U rw, B rw, L w, P w; offset, first, last: LU of the upper triangle of U_o on top of B
  Codelet ssssm;  ///< B r, L r, P r, A rw, C rw; offset: eliminates in [A_o; C]; A_o has as many rows as B has columns
  Codelet ssssm_back;  ///< B r, L r, P r, A rw, C rw; offset: applies the inverse of `ssssm`
};

/// One codelet per kernel, for float or double. All matrices are column-major blocks with a leading dimension. A
/// member's comment lists the handles in their order, with their modes (r read, w write, rw read and write, … for one
/// or more handles), after the semicolon the arguments by value, and after the colon what the kernel computes. While a
/// runtime lives that has seen one of these codelets, the BLAS library is single-threaded. The codelets count their
/// floating-point operations. docs/gpu-kernels.md lists the codelets that run on CUDA GPUs. On a cluster of cores the
/// members of the team divide the work; teams of the same size give the same bits.
///
/// Tiles may be taller than wide (`TiledMatrix::diagonal`): `offset` (int64) is the number of rows of a tile above the
/// diagonal block, which is a square as wide as the tile. D_o is the diagonal block of tile D, D_b are the rows below
/// D_o, D_a the rows above D_o. `first` (int64) is the first row of the diagonal block in the whole matrix, for errors
/// and pivots. A breakdown throws `numerical` with the row of the whole matrix, counted from 1 as in LAPACK; a pivot
/// that is not a row throws `bad_input`. A service knows the codelets by the names of the members and the precision:
/// "gemm_nt/double".
template <class T>
struct TileCodelets : IncrementalLuCodelets {
  // The next four codelets belong to Cholesky. The comment above the struct explains the notation.
  Codelet potrf;          ///< D rw; offset, first: lower triangle of D_o <- L, where D_o = L L^T; D_b <- D_b L^-T
  Codelet trsm_cholesky;  ///< D r, A rw; offset: A <- A L^-T, L the lower triangle of D_o
  Codelet syrk;           ///< A r, C rw; offset (of C): lower triangle of C_o -= A_o A_o^T; C_b -= A_b A_o^T
  Codelet gemm_nt;        ///< A r, B r, C rw; offset (of the rows of B to use, as many as C has columns): C -= A B_o^T

  // The next codelets belong to LU, and to triangular solves with the factors of Cholesky and LU. The comment above the
  // struct explains the notation: modes r and rw, `offset`, and blocks such as D_o.
  Codelet gemm_nn;           ///< A r, B r, C rw; offset (of the rows of B to use, as many as A has columns): C -= A B_o
  Codelet gemm_tn;           ///< A r, B r, C rw; offset (of the rows of C to update): C_o -= A^T B
  Codelet solve_lower;       ///< D r, B rw; offset: B_o <- L^-1 B_o; B_b -= D_b B_o
  Codelet solve_unit_lower;  ///< D r, B rw; offset: as `solve_lower`, but L has a unit diagonal
  Codelet solve_lower_transposed;  ///< D r, B rw; offset: B_o <- L^-T (B_o - D_b^T B_b)
  Codelet solve_upper;             ///< D r, B rw; offset: B_o <- U^-1 B_o; B_a -= D_a B_o
  Codelet getrf_without_pivoting;  ///< D rw; offset, first: D_o <- L (unit lower) and U; D_b <- D_b U^-1
  Codelet trsm_right_upper;        ///< D r, A rw; offset: A <- A U^-1, U the upper triangle of D_o

  // The codelets with partial pivoting work on a block column. A task gets a tile of the column and all tiles below it,
  // with one handle for each tile ("A rw…"). Row `offset` (int64) of these tiles is row `first` of the whole matrix.
  // Pivots (`linalg::Pivots`) are counted from the top of the whole matrix. On cores, tiles that lie below one another
  // in memory, such as the tiles of a column-major matrix, are not copied.

  /// P w (int, as many as the panel has columns), A rw…; offset, first: factorizes A from row `offset` on; P gets the
  /// pivots.
  Codelet getrf_panel;
  /// D r, P r, C rw…; offset, first: exchanges rows of C, from row `offset` on, as the pivots say. Then applies
  /// `solve_unit_lower` to the rows of C that lie beside D in the whole matrix; all of them are in the first tile of C.
  Codelet swap_and_solve;
  /// P r… (several handles, one after the other), C rw…; offset, first: exchanges rows of C, from row `offset` on, as
  /// the pivots say.
  Codelet swap_rows;

  // Tile QR: LAPACK's routines with the same names. T has as many rows as the inner block has columns. V has as many
  // rows as a diagonal tile has from the diagonal on; geqrt and gemqrt use only these last rows of the tile. The
  // comment above the struct explains the notation.
  Codelet geqrt;              ///< A rw, T w, V w: A = Q R; R in the upper triangle of A, reflectors in A and V
  Codelet gemqrt;             ///< V r, T r, C rw: C <- Q C
  Codelet gemqrt_transposed;  ///< V r, T r, C rw: C <- Q^T C
  Codelet tpqrt;              ///< R rw, B rw, T w; offset: QR of the upper triangle of R_o on top of B; reflectors in B
  Codelet tpmqrt;  ///< V r, T r, A rw, B rw; offset: [A_o; B] <- Q [A_o; B]; A_o has as many rows as V has columns
  Codelet tpmqrt_transposed;  ///< V r, T r, A rw, B rw; offset: as `tpmqrt`, with Q^T

  /// A w; row, col (int64), seed (uint64), diagonal (double): A <- the part of `symmetric_element`'s matrix that begins
  /// at (row, col). For experiments: the matrix is generated where it is factorized, so it need not be copied.
  Codelet fill_symmetric;
};

/// Returns the codelets for `T`, built at first use. `T` is float or double.
template <class T>
const TileCodelets<T>& codelets();

}  // namespace troupe::kernels
