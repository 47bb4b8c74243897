/// A matrix of the program with any strides, as in numpy, and copies between it and column-major blocks.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "troupe/layout.hpp"

namespace troupe::python {

template <class T>
struct StridedMatrix {
  T* data = nullptr;
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  /// The distances, in elements, from an element to the next element of its column and to the next element of its row.
  /// Both may be negative.
  std::int64_t row_stride = 1;
  std::int64_t col_stride = 0;

  /// Returns the address of element (row, col).
  [[nodiscard]] T* at(std::int64_t row, std::int64_t col) const { return data + row * row_stride + col * col_stride; }
};

/// In the functions below, `above` is the row minus the column of the block's first element in the whole matrix. So
/// element (i, j) of the block is on or below the diagonal of the whole matrix if i + `above` >= j. If `above` is
/// `kAllBelow`, all elements are below the diagonal.
inline constexpr std::int64_t kAllBelow = std::numeric_limits<std::int64_t>::max() / 2;

/// The side of the squares that are copied at a time: as many elements as a cache line has.
template <class T>
inline constexpr std::int64_t kSquare = 64 / sizeof(T);

/// Copies a square, or a part of a square, between matrices of any strides. The function reads the whole square before
/// it writes: otherwise cache lines of both matrices at a distance of a power of two would evict one another from the
/// first-level cache. Each cache line may be on a page of its own, and processors do not prefetch across pages, so the
/// function prefetches later squares itself.
template <class T>
void copy_square(std::int64_t rows, std::int64_t cols, const StridedMatrix<const T>& from, const StridedMatrix<T>& to) {
  constexpr std::int64_t kAhead = 4 * kSquare<T>;
  for (std::int64_t i = 0; i < rows; ++i) __builtin_prefetch(from.at(i + kAhead, 0));
  for (std::int64_t j = 0; j < cols; ++j) __builtin_prefetch(to.at(kAhead, j), 1);
  std::array<T, static_cast<std::size_t>(kSquare<T> * kSquare<T>)> square;
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < cols; ++j) square[static_cast<std::size_t>(j * kSquare<T> + i)] = *from.at(i, j);
  }
  for (std::int64_t j = 0; j < cols; ++j) {
    for (std::int64_t i = 0; i < rows; ++i) *to.at(i, j) = square[static_cast<std::size_t>(j * kSquare<T> + i)];
  }
}

/// Calls `visit(row, col, rows, cols)` for the squares of a block, one below the other.
template <class T, class Visit>
void visit_squares(std::int64_t rows, std::int64_t cols, const Visit& visit) {
  for (std::int64_t col = 0; col < cols; col += kSquare<T>) {
    for (std::int64_t row = 0; row < rows; row += kSquare<T>) {
      visit(row, col, std::min(kSquare<T>, rows - row), std::min(kSquare<T>, cols - col));
    }
  }
}

/// Writes zeros above the diagonal.
template <class T>
void clear_above(MatrixView<T> block, std::int64_t above) {
  for (std::int64_t j = 0; j < block.cols; ++j) {
    std::fill_n(block.data + j * block.ld, std::clamp<std::int64_t>(j - above, 0, block.rows), T{0});
  }
}

/// Fills a block from the program's matrix. `from` is the address of the matrix's element that becomes the first
/// element of the block. Elements above the diagonal become zero, and are not read from the matrix.
template <class T>
void load_block(MatrixView<T> block, const T* from, std::int64_t row_stride, std::int64_t col_stride,
                std::int64_t above) {
  clear_above(block, above);
  if (row_stride == 1) {
    for (std::int64_t j = 0; j < block.cols; ++j) {
      const std::int64_t first = std::clamp<std::int64_t>(j - above, 0, block.rows);
      std::copy_n(from + j * col_stride + first, block.rows - first, block.data + j * block.ld + first);
    }
    return;
  }
  const auto load = [&](std::int64_t row, std::int64_t col, std::int64_t rows, std::int64_t cols) {
    if (row + rows - 1 + above < col) return;
    const StridedMatrix<const T> source{from + row * row_stride + col * col_stride, rows, cols, row_stride, col_stride};
    const StridedMatrix<T> target{block.data + row + col * block.ld, rows, cols, 1, block.ld};
    if (row + above >= col + cols - 1) return copy_square(rows, cols, source, target);
    for (std::int64_t j = 0; j < cols; ++j) {
      for (std::int64_t i = std::max<std::int64_t>(col + j - above - row, 0); i < rows; ++i) {
        *target.at(i, j) = *source.at(i, j);
      }
    }
  };
  visit_squares<T>(block.rows, block.cols, load);
}

/// Copies the whole block back to the program's matrix.
template <class T>
void store_block(MatrixView<const T> block, T* to, std::int64_t row_stride, std::int64_t col_stride) {
  visit_squares<T>(block.rows, block.cols,
                   [&](std::int64_t row, std::int64_t col, std::int64_t rows, std::int64_t cols) {
                     copy_square<T>(rows, cols, {block.data + row + col * block.ld, rows, cols, 1, block.ld},
                                    {to + row * row_stride + col * col_stride, rows, cols, row_stride, col_stride});
                   });
}

/// Splits a block of the result of LU: moves the part below the diagonal to `lower`, writes zeros where that part was,
/// and writes ones on the diagonal of `lower`. `lower` has the leading dimension `lower_ld`.
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
