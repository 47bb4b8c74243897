/// A matrix of the program with any strides, as numpy has it, and how its elements get into a block of columns and
/// back.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "graph/codelets/layout.hpp"

namespace troupe::python {

template <class T>
struct StridedMatrix {
  T* data = nullptr;
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  /// From an element to the next one of its column, and to the next one of its row. In elements; may be negative.
  std::int64_t row_stride = 1;
  std::int64_t col_stride = 0;

  /// The same from element (row, col) on.
  [[nodiscard]] T* at(std::int64_t row, std::int64_t col) const { return data + row * row_stride + col * col_stride; }
  /// Columns without gaps in themselves, one behind the other.
  [[nodiscard]] bool has_columns() const { return row_stride == 1 && col_stride >= std::max<std::int64_t>(rows, 1); }
};

/// How many rows of a block lie above the diagonal's continuation into its first column, from above: element (i, j) of
/// the block is on or below the diagonal of the whole where i + `above` >= j. With this one all are.
inline constexpr std::int64_t kAllBelow = std::numeric_limits<std::int64_t>::max() / 2;

/// Calls `visit(i, j)` for the elements of a block in small squares, so that reading along rows and writing along
/// columns both stay within the first cache.
template <class Visit>
void visit_in_squares(std::int64_t rows, std::int64_t cols, const Visit& visit) {
  constexpr std::int64_t kSide = 8;
  for (std::int64_t col = 0; col < cols; col += kSide) {
    const std::int64_t last_col = std::min(col + kSide, cols);
    for (std::int64_t row = 0; row < rows; row += kSide) {
      const std::int64_t last_row = std::min(row + kSide, rows);
      for (std::int64_t j = col; j < last_col; ++j) {
        for (std::int64_t i = row; i < last_row; ++i) visit(i, j);
      }
    }
  }
}

/// Fills a block from the program's matrix, of which `from` is the element that belongs into its corner. What lies
/// above the diagonal becomes zero, and is not read.
template <class T>
void load_block(MatrixView<T> block, const T* from, std::int64_t row_stride, std::int64_t col_stride,
                std::int64_t above) {
  if (row_stride == 1) {
    for (std::int64_t j = 0; j < block.cols; ++j) {
      const std::int64_t first = std::clamp<std::int64_t>(j - above, 0, block.rows);
      T* const column = block.data + j * block.ld;
      std::fill_n(column, first, T{0});
      std::copy_n(from + j * col_stride + first, block.rows - first, column + first);
    }
    return;
  }
  visit_in_squares(block.rows, block.cols, [&](std::int64_t i, std::int64_t j) {
    block.data[i + j * block.ld] = i + above >= j ? from[i * row_stride + j * col_stride] : T{0};
  });
}

/// The other way round, all of it.
template <class T>
void store_block(MatrixView<const T> block, T* to, std::int64_t row_stride, std::int64_t col_stride) {
  visit_in_squares(block.rows, block.cols, [&](std::int64_t i, std::int64_t j) {
    to[i * row_stride + j * col_stride] = block.data[i + j * block.ld];
  });
}

/// Puts zeros above the diagonal.
template <class T>
void clear_above(MatrixView<T> block, std::int64_t above) {
  for (std::int64_t j = 0; j < block.cols; ++j) {
    std::fill_n(block.data + j * block.ld, std::clamp<std::int64_t>(j - above, 0, block.rows), T{0});
  }
}

/// Takes a block of LU's result apart: what lies below the diagonal moves to `lower`, which has the same leading
/// dimension and ones on the diagonal; zeros stay.
template <class T>
void split_block(MatrixView<T> block, T* lower, std::int64_t lower_ld, std::int64_t above) {
  for (std::int64_t j = 0; j < block.cols; ++j) {
    const std::int64_t below = std::clamp<std::int64_t>(j - above + 1, 0, block.rows);
    T* const column = block.data + j * block.ld;
    T* const other = lower + j * lower_ld;
    if (const std::int64_t diagonal = j - above; diagonal >= 0 && diagonal < block.rows) other[diagonal] = T{1};
    std::copy_n(column + below, block.rows - below, other + below);
    std::fill_n(column + below, block.rows - below, T{0});
  }
}

}  // namespace troupe::python
