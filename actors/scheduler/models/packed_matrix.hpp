/// Symmetric matrices of a few rows. Only the lower triangle is stored, row by row.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace troupe::scheduler::packed {

/// Returns the position of an entry; `column` is at most `row`.
[[nodiscard]] constexpr std::size_t at(std::size_t row, std::size_t column) { return row * (row + 1) / 2 + column; }

/// Replaces a positive definite matrix of `size` rows by its Cholesky factor. The squares of the pivots are known to be
/// at least `least`; values that are smaller because of rounding errors are raised to `least`.
template <std::size_t N>
void factorize(std::array<double, N>& matrix, std::size_t size, double least) {
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = matrix[at(i, j)];
      for (std::size_t k = 0; k < j; ++k) sum -= matrix[at(i, k)] * matrix[at(j, k)];
      matrix[at(i, j)] = i == j ? std::sqrt(std::max(sum, least)) : sum / matrix[at(j, j)];
    }
  }
}

/// Returns the inverse of the matrix that has this Cholesky factor.
template <std::size_t N>
[[nodiscard]] std::array<double, N> inverse(const std::array<double, N>& factor, std::size_t size) {
  std::array<double, N> of_factor{};
  for (std::size_t j = 0; j < size; ++j) {
    of_factor[at(j, j)] = 1 / factor[at(j, j)];
    for (std::size_t i = j + 1; i < size; ++i) {
      double sum = 0;
      for (std::size_t k = j; k < i; ++k) sum -= factor[at(i, k)] * of_factor[at(k, j)];
      of_factor[at(i, j)] = sum / factor[at(i, i)];
    }
  }
  std::array<double, N> result{};
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      for (std::size_t k = i; k < size; ++k) result[at(i, j)] += of_factor[at(k, i)] * of_factor[at(k, j)];
    }
  }
  return result;
}

}  // namespace troupe::scheduler::packed
