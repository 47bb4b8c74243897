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

}  // namespace troupe::linalg
