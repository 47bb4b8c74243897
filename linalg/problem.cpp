#include "linalg/problem.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "proto/random.hpp"

namespace troupe::linalg {

namespace {

constexpr double kCorrelationLength = 0.1;
constexpr double kNoiseVariance = 0.01;
constexpr std::int64_t kColumnsPerTask = 64;

/// Returns a number that is uniform in (-1/2, 1/2) and depends on the arguments alone.
double uniform(std::uint64_t seed, std::int64_t i, std::int64_t j) {
  Random random(seed ^ (static_cast<std::uint64_t>(i) * 0x9e3779b97f4a7c15ULL +
                        static_cast<std::uint64_t>(j) * 0xc2b2ae3d27d4eb4fULL));
  return (static_cast<double>(random.next() >> 11U) + 0.5) * 0x1p-53 - 0.5;
}

std::int64_t grid_width(std::int64_t points) {
  auto width = static_cast<std::int64_t>(std::sqrt(static_cast<double>(points)));
  while (width * width < points) ++width;
  return std::max<std::int64_t>(width, 1);
}

struct Point {
  double x;
  double y;
};

Point jittered_point(const Problem& problem, std::int64_t index, std::int64_t width) {
  const double h = 1.0 / static_cast<double>(width);
  return {h * (static_cast<double>(index % width) + 0.5 + 0.8 * uniform(problem.seed, index, -1)),
          h * (static_cast<double>(index / width) + 0.5 + 0.8 * uniform(problem.seed, index, -2))};
}

template <class T>
void fill_covariance(const Problem& problem, MatrixView<T> block, std::int64_t first_col) {
  const std::int64_t width = grid_width(problem.rows);
  std::vector<Point> points;
  for (std::int64_t i = 0; i < problem.rows; ++i) points.push_back(jittered_point(problem, i, width));
  for (std::int64_t j = 0; j < block.cols; ++j) {
    const Point& centre = points[static_cast<std::size_t>(first_col + j)];
    for (std::int64_t i = 0; i < block.rows; ++i) {
      const Point& point = points[static_cast<std::size_t>(i)];
      const double distance = std::hypot(point.x - centre.x, point.y - centre.y);
      block(i, j) = static_cast<T>(std::exp(-distance / kCorrelationLength));
    }
    block(first_col + j, j) += static_cast<T>(kNoiseVariance);
  }
}

template <class T>
void fill_poisson(const Problem& problem, MatrixView<T> block, std::int64_t first_col) {
  const std::int64_t width = grid_width(problem.rows);
  for (std::int64_t j = 0; j < block.cols; ++j) {
    const std::int64_t col = first_col + j;
    std::fill_n(&block(0, j), block.rows, T{0});
    block(col, j) = T{4};
    const auto couple = [&](std::int64_t row, bool neighbours) {
      if (neighbours && row >= 0 && row < block.rows) block(row, j) = T{-1};
    };
    couple(col - 1, col % width != 0);
    couple(col + 1, (col + 1) % width != 0);
    couple(col - width, true);
    couple(col + width, true);
  }
}

template <class T>
void fill_random(const Problem& problem, MatrixView<T> block, std::int64_t first_col) {
  const bool definite = problem.kind == ProblemKind::random_definite;
  for (std::int64_t j = 0; j < block.cols; ++j) {
    const std::int64_t col = first_col + j;
    for (std::int64_t i = 0; i < block.rows; ++i) {
      const double value =
          definite ? uniform(problem.seed, std::max(i, col), std::min(i, col)) : uniform(problem.seed, i, col);
      block(i, j) = static_cast<T>(value);
    }
    if (definite) block(col, j) += static_cast<T>(problem.rows);
  }
}

template <class T>
void fill(const Problem& problem, MatrixView<T> block, std::int64_t first_col) {
  switch (problem.kind) {
    case ProblemKind::covariance: fill_covariance(problem, block, first_col); break;
    case ProblemKind::poisson: fill_poisson(problem, block, first_col); break;
    case ProblemKind::random:
    case ProblemKind::random_definite: fill_random(problem, block, first_col); break;
  }
}

}  // namespace

const char* to_string(ProblemKind kind) {
  switch (kind) {
    case ProblemKind::random: return "random";
    case ProblemKind::random_definite: return "random-definite";
    case ProblemKind::covariance: return "covariance";
    case ProblemKind::poisson: return "poisson";
  }
  return "unknown";
}

template <class T>
DenseMatrix<T> assemble(Runtime& runtime, const Problem& problem) {
  const bool square = problem.rows == problem.cols || problem.kind == ProblemKind::random;
  if (problem.rows < 0 || problem.cols < 0 || !square) {
    throw Error(ErrorCode::invalid_argument, "a problem of kind " + std::string(to_string(problem.kind)) +
                                                 " cannot be " + std::to_string(problem.rows) + " x " +
                                                 std::to_string(problem.cols) +
                                                 (square ? "" : ": it needs a square matrix"));
  }
  DenseMatrix<T> matrix(problem.rows, problem.cols);
  const Codelet assemble_block =
      Codelet("assemble", {AccessMode::write}).cpu([&problem](MatrixView<T> block, std::int64_t first_col) {
        fill(problem, block, first_col);
      });
  std::vector<Data> blocks;
  for (std::int64_t j = 0; j < problem.cols; j += kColumnsPerTask) {
    const std::int64_t cols = std::min(kColumnsPerTask, problem.cols - j);
    blocks.push_back(
        runtime.matrix(&matrix(0, j), problem.rows, cols, std::max<std::int64_t>(problem.rows, 1), "matrix"));
    runtime.submit(assemble_block, {blocks.back()}, args(j));
  }
  runtime.wait();
  return matrix;
}

template <class T>
DenseMatrix<T> random_right_hand_side(std::int64_t rows, std::int64_t columns, std::uint64_t seed) {
  DenseMatrix<T> matrix(rows, columns);
  for (std::int64_t j = 0; j < columns; ++j) {
    for (std::int64_t i = 0; i < rows; ++i) matrix(i, j) = static_cast<T>(uniform(~seed, i, j));
  }
  return matrix;
}

template DenseMatrix<float> assemble(Runtime&, const Problem&);
template DenseMatrix<double> assemble(Runtime&, const Problem&);
template DenseMatrix<float> random_right_hand_side(std::int64_t, std::int64_t, std::uint64_t);
template DenseMatrix<double> random_right_hand_side(std::int64_t, std::int64_t, std::uint64_t);

}  // namespace troupe::linalg
