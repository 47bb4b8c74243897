/// A stencil on a grid, and data in parts, for tests of parts and halo parts.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "tests/client/fixture.hpp"
#include "troupe/runtime.hpp"
#include "troupe/tiled_matrix.hpp"

namespace troupe::tests {

using Old = MatrixView<const double>;
using New = MatrixView<double>;

/// A grid of doubles with random content, one column after the other.
struct Grid {
  Grid(std::int64_t rows, std::int64_t cols, std::uint64_t seed = 1)
      : rows(rows), cols(cols), elements(static_cast<std::size_t>(rows * cols)) {
    std::mt19937_64 random(seed);
    for (double& element : elements) element = static_cast<double>(random() % 1000);
  }
  /// Returns an element, or 0 outside of the grid.
  [[nodiscard]] double at(std::int64_t i, std::int64_t j) const {
    if (i < 0 || j < 0 || i >= rows || j >= cols) return 0;
    return elements[static_cast<std::size_t>(i + j * rows)];
  }
  std::int64_t rows;
  std::int64_t cols;
  std::vector<double> elements;
};

/// Returns the sum over the square of elements around (i, j), as far as the view goes.
template <class View>
double sum_around(const View& x, std::int64_t i, std::int64_t j, std::int64_t width) {
  double sum = 0;
  for (std::int64_t c = std::max<std::int64_t>(0, j - width); c <= std::min(x.cols - 1, j + width); ++c) {
    for (std::int64_t r = std::max<std::int64_t>(0, i - width); r <= std::min(x.rows - 1, i + width); ++r) {
      sum += x(r, c);
    }
  }
  return sum;
}

/// Submits a step of a stencil: each element becomes a hundredth of the sum of its neighbours, from `old` to `now`.
inline void submit_step(Runtime& runtime, const Blocks& old, const Blocks& now, std::int64_t width) {
  for (std::int64_t j = 0; j < old.cols(); ++j) {
    for (std::int64_t i = 0; i < old.rows(); ++i) {
      const Block& inside = old.halo(i, j).inside();
      runtime.submit(
          [width](Old before, New after, std::int64_t row, std::int64_t col) {
            for (std::int64_t c = 0; c < after.cols; ++c) {
              for (std::int64_t r = 0; r < after.rows; ++r) {
                after(r, c) = sum_around(before, row + r, col + c, width) / 100;
              }
            }
          },
          old.halo(i, j), write(now(i, j)), inside.row, inside.col);
    }
  }
}

inline Grid stencil_in_sequence(const Grid& grid, std::int64_t width) {
  Grid result = grid;
  const MatrixView<const double> view{grid.elements.data(), grid.rows, grid.cols, grid.rows};
  for (std::int64_t j = 0; j < grid.cols; ++j) {
    for (std::int64_t i = 0; i < grid.rows; ++i) {
      result.elements[static_cast<std::size_t>(i + j * grid.rows)] = sum_around(view, i, j, width) / 100;
    }
  }
  return result;
}

/// Returns options with one emulated accelerator beside two cores.
inline RuntimeOptions with_an_accelerator() {
  RuntimeOptions options = with_workers(2);
  platform::EmulationOptions accelerator;
  accelerator.memory = Bytes{1U << 20U};
  options.accelerators.emulated_gpus = {accelerator};
  return options;
}

/// Twelve elements in three parts of four, each with a rim of one.
struct InThreeParts {
  explicit InThreeParts(Runtime& runtime) : whole(runtime.vector(x, "x")), blocks(runtime, whole, {4, 1}, 1) {}
  std::vector<double> x = std::vector<double>(12, 1.0);
  Vector<double> whole;
  Blocks blocks;
};

}  // namespace troupe::tests
