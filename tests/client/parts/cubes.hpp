/// Arrays with three dimensions and a stencil on them, for tests of volumes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "troupe/layout.hpp"
#include "troupe/runtime.hpp"
#include "troupe/tiled_matrix.hpp"

namespace troupe::tests {

/// A column-major array of doubles with random content, also in the gaps between its columns and planes.
struct Cube {
  explicit Cube(const VolumeShape& of, std::uint64_t seed = 1) : shape(of) {
    const Layout layout = layout_of<double>(shape);
    shape.ld = layout.ld;
    shape.plane_stride = layout.plane_stride;
    elements.resize(static_cast<std::size_t>(shape.plane_stride * shape.planes));
    std::mt19937_64 random(seed);
    for (double& element : elements) element = static_cast<double>(random() % 1000);
  }
  double& operator()(std::int64_t i, std::int64_t j, std::int64_t k) { return view()(i, j, k); }
  [[nodiscard]] VolumeView<double> view() {
    return {elements.data(), shape.rows, shape.cols, shape.planes, shape.ld, shape.plane_stride};
  }

  VolumeShape shape;
  std::vector<double> elements;
};

/// Adds a number that depends on the place in the box, so that a box that is seen in the wrong place has other sums.
inline void add_places(VolumeView<double> x) {
  for (std::int64_t k = 0; k < x.planes; ++k) {
    for (std::int64_t j = 0; j < x.cols; ++j) {
      for (std::int64_t i = 0; i < x.rows; ++i) x(i, j, k) += static_cast<double>(i + 10 * j + 100 * k);
    }
  }
}

/// Does to the elements of a block what `add_places` does.
inline void add_places_in_sequence(Cube& cube, const Block& block) {
  for (std::int64_t k = 0; k < block.planes; ++k) {
    for (std::int64_t j = 0; j < block.cols; ++j) {
      for (std::int64_t i = 0; i < block.rows; ++i) {
        cube(block.row + i, block.col + j * block.col_step, block.plane + k * block.plane_step) +=
            static_cast<double>(i + 10 * j + 100 * k);
      }
    }
  }
}

/// Draws arrays with three dimensions, and disjoint boxes of them.
class DrawnBoxes {
 public:
  explicit DrawnBoxes(std::uint64_t seed) : random_(seed) {}

  [[nodiscard]] std::int64_t below(std::int64_t bound) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(bound));
  }
  [[nodiscard]] Cube cube() {
    const VolumeShape shape{1 + below(6), 1 + below(6), 1 + below(6), 7 + below(2), 60};
    return Cube(shape, random_());
  }
  /// The boxes of a whole, with their handles.
  struct Boxes {
    std::vector<Block> blocks;
    std::vector<Handle> handles;
  };
  /// Divides the whole into boxes, with and without steps: draws this many, and leaves out those that the runtime
  /// refuses because they overlap others.
  [[nodiscard]] Boxes boxes(Runtime& runtime, const Handle& whole, const VolumeShape& shape, int attempts) {
    Boxes boxes;
    for (int attempt = 0; attempt < attempts; ++attempt) {
      Block block{below(shape.rows), below(shape.cols), 1, 1, below(shape.planes), 1, 1 + below(2), 1 + below(2)};
      block.rows += below(shape.rows - block.row);
      block.cols += below((shape.cols - 1 - block.col) / block.col_step + 1);
      block.planes += below((shape.planes - 1 - block.plane) / block.plane_step + 1);
      try {
        boxes.handles.push_back(runtime.partition(whole, std::array{block}).front());
        boxes.blocks.push_back(block);
      } catch (const Error& error) {
        if (error.code() != ErrorCode::overlapping_handles) throw;
      }
    }
    return boxes;
  }

 private:
  std::mt19937_64 random_;
};

/// Returns a hundredth of the sum of an element, weighted by 94, and its six neighbours, as far as the view goes.
template <class View>
double heat_at(const View& x, std::int64_t i, std::int64_t j, std::int64_t k) {
  double sum = 94 * x(i, j, k);
  if (i > 0) sum += x(i - 1, j, k);
  if (j > 0) sum += x(i, j - 1, k);
  if (k > 0) sum += x(i, j, k - 1);
  if (i + 1 < x.rows) sum += x(i + 1, j, k);
  if (j + 1 < x.cols) sum += x(i, j + 1, k);
  if (k + 1 < x.planes) sum += x(i, j, k + 1);
  return sum / 100;
}

/// The kernel of a step of the stencil: computes a box from its halo part, in which its first element is at this place.
inline void heat_of_box(VolumeView<const double> before, VolumeView<double> after, std::int64_t row, std::int64_t col,
                        std::int64_t plane) {
  for (std::int64_t p = 0; p < after.planes; ++p) {
    for (std::int64_t c = 0; c < after.cols; ++c) {
      for (std::int64_t r = 0; r < after.rows; ++r) after(r, c, p) = heat_at(before, row + r, col + c, plane + p);
    }
  }
}

/// Submits a step of the stencil, from `old` to `now`, with one task for each box.
inline void submit_heat_step(Runtime& runtime, const Blocks& old, const Blocks& now) {
  for (std::int64_t k = 0; k < old.planes(); ++k) {
    for (std::int64_t j = 0; j < old.cols(); ++j) {
      for (std::int64_t i = 0; i < old.rows(); ++i) {
        const Block inside = old.halo(i, j, k).inside();
        runtime.submit(heat_of_box, old.halo(i, j, k), write(now(i, j, k)), inside.row, inside.col, inside.plane);
      }
    }
  }
}

inline Cube heat_in_sequence(Cube cube) {
  Cube result = cube;
  for (std::int64_t k = 0; k < cube.shape.planes; ++k) {
    for (std::int64_t j = 0; j < cube.shape.cols; ++j) {
      for (std::int64_t i = 0; i < cube.shape.rows; ++i) result(i, j, k) = heat_at(cube.view(), i, j, k);
    }
  }
  return result;
}

}  // namespace troupe::tests
