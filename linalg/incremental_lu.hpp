/// Tile LU factorization with incremental pivoting.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/codelets.hpp"
#include "troupe/tiled_matrix.hpp"

namespace troupe::linalg {

/// The results of a factorization with incremental pivoting that are not in the matrix: the exchanges, and those parts
/// of L from pairs of tiles that are not stored in the lower tile.
template <class T>
class IncrementalFactors {
 public:
  /// Makes the factors for the matrix `a`, with inner blocks of `inner` columns: smaller blocks cost fewer operations,
  /// kernels are faster on larger blocks. Throws `invalid_argument` if `inner` is not positive. With the `storage`
  /// `none` the data have no memory.
  IncrementalFactors(Runtime& runtime, const TiledMatrix<T>& a, std::int64_t inner,
                     TileStorage storage = TileStorage::tiles);

  /// Returns a copy of the diagonal tile of column k, from the diagonal on. It is made when the tile has just been
  /// factorized, so that applying it may overlap with eliminating the tiles below.
  [[nodiscard]] Handle diagonal(int k) const { return diagonal_[static_cast<std::size_t>(k)]; }
  /// Returns the exchanges of tile column k: those in the diagonal tile if `below` is 0, otherwise those in the pair of
  /// that tile and the tile that is `below` tiles below.
  [[nodiscard]] Handle pivots(int k, int below) const {
    return pivots_[static_cast<std::size_t>(k)][static_cast<std::size_t>(below)];
  }
  /// Returns the unit lower triangles of that pair, for `below` from 1 on: `inner` rows and as many columns as the
  /// tile.
  [[nodiscard]] Handle lower(int k, int below) const {
    return lower_[static_cast<std::size_t>(k)][static_cast<std::size_t>(below - 1)];
  }

 private:
  /// The entries are indexed by column of tiles, then by row, from the diagonal on (`pivots_`) or from the row below it
  /// (`lower_`).
  std::vector<std::vector<Data>> pivots_;
  std::vector<std::vector<Data>> lower_;
  std::vector<Data> diagonal_;
};

/// Submits the tasks that overwrite the square matrix `a` with U in its upper triangle, and L in the part below and in
/// `factors`. Rows are exchanged inside the diagonal tile, and then between it and one tile below at a time. So the
/// graph is that of tile QR with a flat tree, and every task has half the operations of the corresponding QR task. Less
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
