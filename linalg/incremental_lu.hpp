/// Tile LU factorization with incremental pivoting.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/codelets.hpp"
#include "troupe/tiled_matrix.hpp"

namespace troupe::linalg {

/// The result of a factorization with incremental pivoting besides the matrix: the exchanges, and the parts of L from
/// pairs of tiles that do not lie in the lower tile.
template <class T>
class IncrementalFactors {
 public:
  /// Makes the factors for the matrix `a`, with inner blocks of `inner` columns: smaller ones cost fewer operations,
  /// larger ones run faster each. Throws `invalid_argument` where `inner` is not positive. `storage`: `none` for data
  /// without memory.
  IncrementalFactors(Runtime& runtime, const TiledMatrix<T>& a, std::int64_t inner,
                     TileStorage storage = TileStorage::tiles);

  /// A copy of the tile of column k with the diagonal, from the diagonal on, made when the tile has just been
  /// factorized, so that applying it may overlap with eliminating the tiles below.
  [[nodiscard]] Handle diagonal(int k) const { return diagonal_[static_cast<std::size_t>(k)]; }
  /// The exchanges of tile column k: for 0, those in the tile with the diagonal; otherwise those in the pair of that
  /// tile and the tile that is `below` tiles below.
  [[nodiscard]] Handle pivots(int k, int below) const {
    return pivots_[static_cast<std::size_t>(k)][static_cast<std::size_t>(below)];
  }
  /// The unit lower triangles of that pair, for `below` from 1 on: `inner` rows and as many columns as the tile.
  [[nodiscard]] Handle lower(int k, int below) const {
    return lower_[static_cast<std::size_t>(k)][static_cast<std::size_t>(below - 1)];
  }

 private:
  /// Indexed by column of tiles, then by row, from the diagonal on (`pivots_`) or from the row below it (`lower_`).
  std::vector<std::vector<Data>> pivots_;
  std::vector<std::vector<Data>> lower_;
  std::vector<Data> diagonal_;
};

/// Submits the tasks that overwrite the square matrix `a` with U in its upper triangle, and L in the part below and in
/// `factors`. Rows are exchanged inside the tile with the diagonal, and then between that and one tile below at a time,
/// so the graph is that of tile QR with a flat tree, and every task does half the operations of QR's in its place. Less
/// stable than partial pivoting: the more tiles lie below one another, the more elements grow
/// (`incremental_lu_residual` measures it). If U(i, i) is exactly zero, the wait throws `numerical` with i. Tiles may
/// be taller than wide. A. Buttari, J. Langou, J. Kurzak and J. Dongarra, Parallel Computing 35 (2009).
template <class T>
void lu_incremental(Runtime& runtime, TiledMatrix<T>& a, IncrementalFactors<T>& factors,
                    const kernels::TileCodelets<T>& kernel = kernels::codelets<T>());

/// Submits the tasks that overwrite C by L^-1 C, where L is the product of all exchanges and eliminations, or by L C if
/// `back`. C has tiles as high as those of A.
template <class T>
void lu_incremental_apply(Runtime& runtime, const TiledMatrix<T>& a, const IncrementalFactors<T>& factors, bool back,
                          TiledMatrix<T>& c);

/// Submits the tasks that overwrite B by the solution of A X = B.
template <class T>
void lu_incremental_solve(Runtime& runtime, const TiledMatrix<T>& a, const IncrementalFactors<T>& factors,
                          TiledMatrix<T>& b);

}  // namespace troupe::linalg
