/// Tile QR factorization.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/codelets.hpp"
#include "troupe/tiled_matrix.hpp"

namespace troupe::linalg {

/// The orthogonal factor of a tile QR factorization. The factorized matrix has the Householder vectors. This object has
/// the other data that are needed to apply the vectors.
template <class T>
class QrFactors {
 public:
  /// Makes the factors for the matrix `a`, with inner blocks of `inner` columns (the ib of LAPACK's geqrt): smaller
  /// blocks need fewer operations, but kernels are faster on larger blocks. Throws `invalid_argument` if `inner` is not
  /// positive. If `storage` is `none`, the data have no memory.
  QrFactors(Runtime& runtime, const TiledMatrix<T>& a, std::int64_t inner, TileStorage storage = TileStorage::tiles);

  /// Returns the triangular factors of the block reflectors that eliminate tile column k in the tile that is `below`
  /// tiles below the diagonal tile. They have `inner` rows and as many columns as the tile.
  [[nodiscard]] Handle t(int k, int below) const {
    return t_[static_cast<std::size_t>(k)][static_cast<std::size_t>(below)];
  }
  /// Returns a copy of the reflectors of the diagonal tile of column k, from the diagonal on, without R. With the copy,
  /// tasks that apply the reflectors may run while the tiles below are eliminated.
  [[nodiscard]] Handle diagonal(int k) const { return diagonal_[static_cast<std::size_t>(k)]; }

 private:
  /// The index is the tile column, then the tile row, counted from the diagonal.
  std::vector<std::vector<Data>> t_;
  std::vector<Data> diagonal_;
};

/// Submits the tasks that overwrite `a`, which has at least as many rows as columns, with R in its upper triangle, and
/// Q in the part below and in `factors`. Tiles may be taller than wide. The tiles of a column are eliminated one after
/// the other (flat tree): Buttari et al., Parallel Computing 35 (2009).
template <class T>
void qr(Runtime& runtime, TiledMatrix<T>& a, QrFactors<T>& factors,
        const kernels::TileCodelets<T>& kernel = kernels::codelets<T>());

/// Submits the tasks that overwrite C with Q C, or with Q^T C if `transposed` is true. C has tiles of the same height
/// as A.
template <class T>
void qr_apply(Runtime& runtime, const TiledMatrix<T>& a, const QrFactors<T>& factors, bool transposed,
              TiledMatrix<T>& c);

/// Submits the tasks that overwrite B with the solution of A X = B for square A.
template <class T>
void qr_solve(Runtime& runtime, const TiledMatrix<T>& a, const QrFactors<T>& factors, TiledMatrix<T>& b);

}  // namespace troupe::linalg
