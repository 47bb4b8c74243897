/// Tile LU factorization with incremental pivoting.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/codelets.hpp"
#include "troupe/tiled_matrix.hpp"

namespace troupe::linalg {

/// The results of a factorization with incremental pivoting that are not stored in the matrix: the row exchanges, and
/// the part of L for which the tiles have no room.
template <class T>
class IncrementalFactors {
 public:
  /// Makes the factors for the matrix `a`, with inner blocks of `inner` columns: smaller blocks need fewer operations,
  /// but kernels are faster on larger blocks. Throws `invalid_argument` if `inner` is not positive. If `storage` is
  /// `none`, the data have no memory.
  IncrementalFactors(Runtime& runtime, const TiledMatrix<T>& a, std::int64_t inner,
                     TileStorage storage = TileStorage::tiles);

  /// Returns a copy of the diagonal tile of column k, from the diagonal on. The copy is made when the tile has just
  /// been factorized, so that tasks that apply the copy may run while the tiles below are eliminated.
  [[nodiscard]] Handle diagonal(int k) const { return diagonal_[static_cast<std::size_t>(k)]; }
  /// Returns the row exchanges of tile column k. If `below` is 0, these are the exchanges in the diagonal tile;
  /// otherwise, the exchanges in the pair of the diagonal tile and the tile that is `below` tiles below it.
  [[nodiscard]] Handle pivots(int k, int below) const {
    return pivots_[static_cast<std::size_t>(k)][static_cast<std::size_t>(below)];
  }
  /// Returns the unit lower triangles from the elimination of the tile that is `below` tiles below the diagonal tile of
  /// column k; `below` is at least 1. The triangles have `inner` rows and as many columns as the tile.
  [[nodiscard]] Handle lower(int k, int below) const {
    return lower_[static_cast<std::size_t>(k)][static_cast<std::size_t>(below - 1)];
  }

 private:
  /// The index is the tile column, then the tile row, counted from the diagonal (`pivots_`) or from the row below the
  /// diagonal (`lower_`).
  std::vector<std::vector<Data>> pivots_;
  std::vector<std::vector<Data>> lower_;
  std::vector<Data> diagonal_;
};

/// Submits the tasks that overwrite the square matrix `a` with U in its upper triangle, and L in the part below and in
/// `factors`. Rows are exchanged inside the diagonal tile, and then between the diagonal tile and one tile below at a
/// time. So the task graph is the same as in tile QR with a flat tree, and every task has half the operations of the
/// corresponding QR task. The factorization is less stable than with partial pivoting: the more tiles a column has, the
/// more the elements can grow (`incremental_lu_residual` takes this into account). If U(i, i) is exactly zero, the wait
/// throws `numerical` with i. Tiles may be taller than wide. A. Buttari, J. Langou, J. Kurzak and J. Dongarra, Parallel
/// Computing 35 (2009).
template <class T>
void lu_incremental(Runtime& runtime, TiledMatrix<T>& a, IncrementalFactors<T>& factors,
                    const kernels::TileCodelets<T>& kernel = kernels::codelets<T>());

/// Submits the tasks that overwrite C with L^-1 C, or with L C if `back` is true. L is the product of all exchanges and
/// eliminations. C has tiles of the same height as A.
template <class T>
void lu_incremental_apply(Runtime& runtime, const TiledMatrix<T>& a, const IncrementalFactors<T>& factors, bool back,
                          TiledMatrix<T>& c);

/// Submits the tasks that overwrite B with the solution of A X = B.
template <class T>
void lu_incremental_solve(Runtime& runtime, const TiledMatrix<T>& a, const IncrementalFactors<T>& factors,
                          TiledMatrix<T>& b);

}  // namespace troupe::linalg
