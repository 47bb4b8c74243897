/// Functions that return parts of a block as blocks. They dereference no pointer, so they serve cores and GPUs alike.
#pragma once

#include <algorithm>
#include <cstdint>

#include "troupe/layout.hpp"

namespace troupe::kernels {

/// Returns `count` rows of a block, from `row` on.
template <class T>
MatrixView<T> rows_from(MatrixView<T> a, std::int64_t row, std::int64_t count) {
  return {a.data + row, count, a.cols, a.ld};
}
template <class T>
MatrixView<T> rows_below(MatrixView<T> a, std::int64_t row) {
  return rows_from(a, row, a.rows - row);
}

/// Returns `count` columns of a block, from `col` on.
template <class T>
MatrixView<T> columns_from(MatrixView<T> a, std::int64_t col, std::int64_t count) {
  return {a.data + col * a.ld, a.rows, count, a.ld};
}

/// Returns `rows` x `cols` elements of a block, from (`row`, `col`) on.
template <class T>
MatrixView<T> part(MatrixView<T> a, std::int64_t row, std::int64_t col, std::int64_t rows, std::int64_t cols) {
  return {a.data + row + col * a.ld, rows, cols, a.ld};
}

template <class T>
MatrixView<const T> constant(MatrixView<T> a) {
  return {a.data, a.rows, a.cols, a.ld};
}

/// Divides the reflectors into blocks of `inner` reflectors, and calls `apply(first, count)` for each block, in the
/// order in which Q^T (`trans` 'T') or Q applies the blocks. Q = Q_1 Q_2 …, so Q^T begins with the first block, and Q
/// with the last block.
template <class F>
void for_each_block(std::int64_t reflectors, std::int64_t inner, char trans, F apply) {
  const std::int64_t blocks = (reflectors + inner - 1) / inner;
  for (std::int64_t i = 0; i < blocks; ++i) {
    const std::int64_t first = (trans == 'T' ? i : blocks - 1 - i) * inner;
    apply(first, std::min(inner, reflectors - first));
  }
}

}  // namespace troupe::kernels
