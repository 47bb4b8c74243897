/// Priorities by critical path for the tile algorithms.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "troupe/tiled_matrix.hpp"

namespace troupe::linalg {

/// The size of a matrix and of its tiles, without data. The members have the same names as in `TiledMatrix`.
struct TileGrid {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  TileSize tile = 1;

  template <class T>
  static TileGrid of(const TiledMatrix<T>& a) {
    return {a.rows(), a.cols(), a.tile()};
  }
  [[nodiscard]] int tile_rows() const { return static_cast<int>(rows / tile.rows + (rows % tile.rows != 0 ? 1 : 0)); }
  [[nodiscard]] int tile_cols() const { return static_cast<int>(cols / tile.cols + (cols % tile.cols != 0 ? 1 : 0)); }
  [[nodiscard]] std::int64_t rows_of(int i) const { return std::min(tile.rows, rows - i * tile.rows); }
  [[nodiscard]] std::int64_t cols_of(int j) const { return std::min(tile.cols, cols - j * tile.cols); }
  [[nodiscard]] int diagonal(int k) const { return static_cast<int>(k * tile.cols / tile.rows); }
  [[nodiscard]] std::int64_t diagonal_offset(int k) const { return k * tile.cols % tile.rows; }
};

// Each function returns the priorities of all tasks that the algorithm with the same name submits (`cholesky`, `lu`,
// …), in the order of submission. The priorities are upward ranks (`UpwardRanks`); the cost of a task is its number of
// operations divided by the measured speed of its kernel. Priorities are positive, so that tasks with the default
// priority run last. The functions take time in proportion to the number of tasks; in `lu`, a task on a block column
// counts once per tile of the column.

[[nodiscard]] std::vector<int> cholesky_priorities(const TileGrid& a);
[[nodiscard]] std::vector<int> lu_priorities(const TileGrid& a);
[[nodiscard]] std::vector<int> lu_without_pivoting_priorities(const TileGrid& a);
[[nodiscard]] std::vector<int> lu_incremental_priorities(const TileGrid& a);
[[nodiscard]] std::vector<int> qr_priorities(const TileGrid& a);

}  // namespace troupe::linalg
