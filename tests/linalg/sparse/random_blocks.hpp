/// Random matrices of blocks that can be factorized without pivoting.
#pragma once

#include <cstdint>

#include "linalg/sparse/block_matrix.hpp"
#include "proto/random.hpp"

namespace troupe::tests {

/// Fills the blocks with random elements. Each diagonal element is larger than the sum of all other elements in its
/// row.
template <class T>
linalg::BlockMatrix<T> random_blocks(Runtime& runtime, const linalg::BlockPattern& pattern,
                                     const linalg::BlockCut& cut) {
  linalg::BlockMatrix<T> a(runtime, pattern, cut);
  for (int i = 0; i < a.blocks(); ++i) {
    pattern.for_row(i, 0, [&](int j) {
      // Each block has a seed of its own, so the matrix does not depend on its division into super-blocks.
      Random random(static_cast<std::uint64_t>(i * 1000 + j));
      const MatrixView<T> block = a.block(i, j);
      for (std::int64_t col = 0; col < block.cols; ++col) {
        for (std::int64_t row = 0; row < block.rows; ++row) {
          block(row, col) = static_cast<T>(random.below(2001)) / 1000 - 1;
        }
      }
      if (i == j) {
        for (std::int64_t row = 0; row < block.rows; ++row) block(row, row) += static_cast<T>(a.rows());
      }
    });
  }
  return a;
}

}  // namespace troupe::tests
