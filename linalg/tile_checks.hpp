/// Checks of tile sizes for tile algorithms.
#pragma once

#include <cstdint>
#include <string>

#include "troupe/errors.hpp"
#include "troupe/tiled_matrix.hpp"

namespace troupe::linalg {

/// Throws `invalid_argument` unless the diagonal block of every tile column lies inside one tile.
template <class T>
void require_diagonal_in_tiles(const TiledMatrix<T>& a) {
  const TileSize& tile = a.tile();
  if (tile.rows % tile.cols == 0 || tile.rows >= a.rows()) return;
  throw Error(ErrorCode::invalid_argument, "tiles of " + std::to_string(tile.rows) + " x " + std::to_string(tile.cols) +
                                               ": the height must be a multiple of the width");
}

/// Throws `invalid_argument` unless an inner block has at least one column.
inline void require_inner_block(std::int64_t inner) {
  if (inner > 0) return;
  throw Error(ErrorCode::invalid_argument, "the inner block of a factorization must be at least 1");
}

/// Returns a text such as "a 4 x 3 matrix in tiles of 2 x 2".
template <class T>
std::string describe(const TiledMatrix<T>& a) {
  return "a " + std::to_string(a.rows()) + " x " + std::to_string(a.cols()) + " matrix in tiles of " +
         std::to_string(a.tile().rows) + " x " + std::to_string(a.tile().cols);
}

/// Throws `invalid_argument` unless the matrix is square. `what` says what is to be done with it.
template <class T>
void require_square(const TiledMatrix<T>& a, const char* what) {
  if (a.rows() == a.cols()) return;
  throw Error(ErrorCode::invalid_argument, std::string(what) + " of " + describe(a) + ": it has to be square");
}

/// Throws `invalid_argument` unless the matrix has at least as many rows as columns.
template <class T>
void require_tall(const TiledMatrix<T>& a, const char* what) {
  if (a.rows() >= a.cols()) return;
  throw Error(ErrorCode::invalid_argument,
              std::string(what) + " of " + describe(a) + ": it needs at least as many rows as columns");
}

/// Throws `invalid_argument` unless the rows of `b` are divided into tiles as those of `a`.
template <class T>
void require_equal_rows(const TiledMatrix<T>& a, const TiledMatrix<T>& b) {
  const bool one_each = a.tile_rows() == 1 && b.tile_rows() == 1;
  if (a.rows() == b.rows() && (one_each || a.tile().rows == b.tile().rows)) return;
  throw Error(ErrorCode::invalid_argument,
              describe(b) + " does not fit " + describe(a) + ": it needs as many rows, and tiles of the same height");
}

}  // namespace troupe::linalg
