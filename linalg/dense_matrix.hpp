/// A dense matrix that owns its elements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace troupe::linalg {

/// A column-major matrix, with the number of rows as its leading dimension: element (i, j) is `values[i + j * rows]`,
/// counted from zero.
template <class T>
struct DenseMatrix {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::vector<T> values;

  DenseMatrix() = default;
  /// Makes a matrix of zeros. Throws std::bad_alloc if there is no memory for it.
  DenseMatrix(std::int64_t row_count, std::int64_t col_count)
      : rows(row_count), cols(col_count), values(static_cast<std::size_t>(row_count * col_count)) {}

  [[nodiscard]] T& operator()(std::int64_t i, std::int64_t j) { return values[static_cast<std::size_t>(i + j * rows)]; }
  [[nodiscard]] const T& operator()(std::int64_t i, std::int64_t j) const {
    return values[static_cast<std::size_t>(i + j * rows)];
  }
};

}  // namespace troupe::linalg
