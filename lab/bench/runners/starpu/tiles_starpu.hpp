/// A matrix as a grid of tiles, each registered with StarPU.
#pragma once

#include <starpu.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace troupe::bench {

/// A `rows` x `cols` matrix of doubles, divided into tiles in the same way as a `TiledMatrix`. The destructor
/// unregisters the tiles when no task uses them any more. A session must outlive this object.
class StarpuTiles {
 public:
  /// `in_place` is a column-major matrix of doubles with `rows` as its leading dimension; its parts become the tiles.
  /// If it is null, StarPU allocates each tile when the first task writes it.
  StarpuTiles(double* in_place, std::int64_t rows, std::int64_t cols, std::int64_t tile_rows, std::int64_t tile_cols);
  StarpuTiles(const StarpuTiles&) = delete;
  StarpuTiles& operator=(const StarpuTiles&) = delete;
  ~StarpuTiles();

  [[nodiscard]] int tile_rows() const { return static_cast<int>((rows_ + tile_rows_ - 1) / tile_rows_); }
  [[nodiscard]] int tile_cols() const { return static_cast<int>((cols_ + tile_cols_ - 1) / tile_cols_); }
  [[nodiscard]] std::int64_t rows_of(int i) const { return std::min(tile_rows_, rows_ - i * tile_rows_); }
  [[nodiscard]] std::int64_t cols_of(int j) const { return std::min(tile_cols_, cols_ - j * tile_cols_); }
  /// Return the rows and columns of a tile.
  [[nodiscard]] std::int64_t height() const { return tile_rows_; }
  [[nodiscard]] std::int64_t width() const { return tile_cols_; }
  /// Return the row in which the diagonal enters tile column k: the tile row, and the row within that tile, as in
  /// `TiledMatrix`.
  [[nodiscard]] int diagonal(int k) const { return static_cast<int>(k * tile_cols_ / tile_rows_); }
  [[nodiscard]] std::int64_t diagonal_offset(int k) const { return k * tile_cols_ % tile_rows_; }

  [[nodiscard]] const starpu_data_handle_t& operator()(int i, int j) const { return column(j, 0)[to_size(i)]; }
  /// Returns the tiles of a column, from tile row `top` downwards.
  [[nodiscard]] std::span<const starpu_data_handle_t> column(int j, int top) const {
    return std::span(handles_).subspan(to_size(j) * to_size(tile_rows()) + to_size(top), to_size(tile_rows() - top));
  }

 private:
  static std::size_t to_size(int number) { return static_cast<std::size_t>(number); }

  const bool in_place_;
  const std::int64_t rows_;
  const std::int64_t cols_;
  const std::int64_t tile_rows_;
  const std::int64_t tile_cols_;
  /// The handles, column by column.
  std::vector<starpu_data_handle_t> handles_;
};

}  // namespace troupe::bench
