/// Systems of equations that are generated, and not read from a file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "linalg/dense_matrix.hpp"
#include "troupe/runtime.hpp"

namespace troupe::linalg {

enum class ProblemKind {
  /// A matrix of independent numbers, uniform in (-1/2, 1/2).
  random,
  /// A symmetric matrix of numbers as in `random`, with n added to the diagonal, so that the matrix is positive
  /// definite.
  random_definite,
  /// The covariance of a Gaussian process at n points on a jittered grid of the unit square, with kernel exp(-|x - y| /
  /// 0.1) and a noise variance of 0.01. Symmetric positive definite.
  covariance,
  /// The 2-D Laplace operator by five-point differences on a square grid with Dirichlet boundary, cut to its first n
  /// unknowns. Symmetric positive definite, mostly zero.
  poisson,
};

/// Returns `random`, `random-definite`, `covariance` or `poisson`.
[[nodiscard]] const char* to_string(ProblemKind kind);
/// The description of the matrix that `assemble` makes.
struct Problem {
  ProblemKind kind = ProblemKind::random;
  std::int64_t rows = 0;
  /// The number of columns. It must equal the number of rows, except for the kind `random`.
  std::int64_t cols = 0;
  /// Equal seeds give equal matrices, for any number of cores.
  std::uint64_t seed = 1;
};

/// Makes the matrix with tasks of the runtime, one for each block of columns, and returns when all these tasks have
/// ended. `T` is float or double. Throws `invalid_argument` for sizes that are not possible for the kind of matrix.
template <class T>
DenseMatrix<T> assemble(Runtime& runtime, const Problem& problem);

/// Returns a right-hand side of `columns` columns, uniform in (-1/2, 1/2).
template <class T>
DenseMatrix<T> random_right_hand_side(std::int64_t rows, std::int64_t columns, std::uint64_t seed);

}  // namespace troupe::linalg
