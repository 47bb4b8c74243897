/// A block column that a task gets as tiles. No pointer is dereferenced here, so the code serves cores and GPUs alike.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "troupe/kernel_context.hpp"

namespace troupe::kernels {

/// Tiles of equal width that form a block column. They need not lie one below the other in memory.
template <class T>
class BlockColumn {
 public:
  /// Makes the column from a task's handles from number `begin` on. There must be at least one handle.
  BlockColumn(const KernelContext& context, std::size_t begin) {
    for (std::size_t i = begin; i < context.size(); ++i) {
      tiles_.push_back(context.matrix<T>(i));
      ends_.push_back(rows() + tiles_.back().rows);
    }
  }

  [[nodiscard]] std::int64_t rows() const { return ends_.empty() ? 0 : ends_.back(); }
  [[nodiscard]] std::int64_t cols() const { return tiles_.front().cols; }
  [[nodiscard]] std::span<const MatrixView<T>> tiles() const { return tiles_; }
  /// Returns the number of rows above tile number `index`.
  [[nodiscard]] std::int64_t begin_of(std::size_t index) const { return ends_[index] - tiles_[index].rows; }

  /// Returns the whole column as one block if each tile begins right below the tile before it, as the tiles of one
  /// column-major matrix do; otherwise returns nothing.
  [[nodiscard]] std::optional<MatrixView<T>> whole() const {
    const MatrixView<T>& first = tiles_.front();
    const T* next = first.data;
    for (const MatrixView<T>& tile : tiles_) {
      if (tile.data != next || tile.ld != first.ld) return std::nullopt;
      next += tile.rows;
    }
    // If the block had more rows than its leading dimension, its columns would overlap in memory.
    if (rows() > first.ld && cols() > 1) return std::nullopt;
    return MatrixView<T>{first.data, rows(), cols(), std::max(first.ld, rows())};
  }
  /// Returns row `index` as a block of its own.
  [[nodiscard]] MatrixView<T> row(std::int64_t index) const {
    const auto tile = static_cast<std::size_t>(std::ranges::upper_bound(ends_, index) - ends_.begin());
    return {tiles_[tile].data + (index - begin_of(tile)), 1, cols(), tiles_[tile].ld};
  }

 private:
  std::vector<MatrixView<T>> tiles_;
  /// Entry i is the number of rows up to the end of tile i.
  std::vector<std::int64_t> ends_;
};

/// Returns a task's pivots in pieces, one piece per handle: from handle number `begin` on, up to the first handle whose
/// elements are not of type int.
inline std::vector<std::span<const int>> pivots_from(const KernelContext& context, std::size_t begin) {
  std::vector<std::span<const int>> pieces;
  while (begin < context.size() && context.data(begin).layout.element_tag == type_tag<int>()) {
    pieces.push_back(context.vector<const int>(begin++));
  }
  return pieces;
}

}  // namespace troupe::kernels
