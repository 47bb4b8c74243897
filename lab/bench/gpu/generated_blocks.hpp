/// Super-blocks in host memory, with elements that a GPU can also generate.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "kernels/cuda/generated_elements.hpp"
#include "kernels/sparse/super_block.hpp"
#include "lab/bench/gpu/batched_product.hpp"

namespace troupe::bench {

/// A super-block with full blocks. The elements of its packed form are those of `symmetric_element`.
template <class T>
class GeneratedBlocks {
 public:
  GeneratedBlocks(const BatchedShape& shape, std::uint64_t seed)
      : shape_(shape), values_(static_cast<std::size_t>(shape.order() * shape.order())) {
    std::size_t at = 0;
    for (std::int64_t col = 0; col < shape.order() * shape.side; ++col) {
      for (std::int64_t row = 0; row < shape.block; ++row) {
        values_[at++] = static_cast<T>(kernels::symmetric_element(seed, row, col, 0.0));
      }
    }
  }

  [[nodiscard]] kernels::SuperBlock<T> blocks() {
    return {{values_.data(), shape_.block, shape_.order() * shape_.side, shape_.block}, all(shape_), shape_.side};
  }
  [[nodiscard]] std::vector<T>& values() { return values_; }

  /// Returns the mask of all blocks.
  [[nodiscard]] static kernels::BlockMask all(const BatchedShape& shape) {
    return ~kernels::BlockMask{0} >> (kernels::kLargestSide * kernels::kLargestSide - shape.side * shape.side);
  }

 private:
  BatchedShape shape_;
  std::vector<T> values_;
};

/// The seeds of A, B and C in C - A B.
inline constexpr std::uint64_t kSeedOfLeft = 1;
inline constexpr std::uint64_t kSeedOfRight = 2;
inline constexpr std::uint64_t kSeedOfResult = 3;

/// A vector of higher precision than all results that are checked.
using ExactVector = std::vector<long double>;

/// Computes y <- y + A x.
template <class T>
void add_product(const kernels::SuperBlock<T>& a, const ExactVector& x, ExactVector& y) {
  for (int j = 0; j < a.side(); ++j) {
    for (int i = 0; i < a.side(); ++i) {
      const MatrixView<T> block = a.block(i, j);
      for (std::int64_t col = 0; col < block.cols; ++col) {
        const long double factor = x[static_cast<std::size_t>(j * block.cols + col)];
        for (std::int64_t row = 0; row < block.rows; ++row) {
          y[static_cast<std::size_t>(i * block.rows + row)] += block(row, col) * factor;
        }
      }
    }
  }
}

/// Computes `BatchedProduct::residual`, where `c` is the result of one product.
template <class T>
double residual_of_product(const BatchedShape& shape, GeneratedBlocks<T>& c) {
  constexpr std::uint64_t kSeedOfVector = 4;
  const auto order = static_cast<std::size_t>(shape.order());
  ExactVector x(order);
  for (std::size_t i = 0; i < order; ++i) {
    x[i] = kernels::symmetric_element(kSeedOfVector, static_cast<std::int64_t>(i), 0, 0.0);
  }
  ExactVector rest(order);
  ExactVector b_x(order);
  add_product(GeneratedBlocks<T>(shape, kSeedOfRight).blocks(), x, b_x);
  add_product(GeneratedBlocks<T>(shape, kSeedOfLeft).blocks(), b_x, rest);
  add_product(c.blocks(), x, rest);
  for (long double& value : x) value = -value;
  add_product(GeneratedBlocks<T>(shape, kSeedOfResult).blocks(), x, rest);
  long double largest = 0;
  for (const long double value : rest) largest = std::isnan(value) ? value : std::max(largest, std::abs(value));
  const double eps = static_cast<double>(std::numeric_limits<T>::epsilon()) / 2;
  return static_cast<double>(largest) / (static_cast<double>(order) / 4 * eps);
}

}  // namespace troupe::bench
