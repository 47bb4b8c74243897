/// The leaves of recursive programs on parts of matrices are plain loops, which the compiler vectorizes.
/// Matrices are column-major.
#pragma once

#include <cstdint>
#include <vector>

namespace troupe::bench {

/// A part of a matrix; its columns are `stride` numbers apart.
struct MatrixPart {
  double* values = nullptr;
  std::int64_t stride = 0;

  [[nodiscard]] double* column(std::int64_t index) const { return values + index * stride; }
  /// Returns the part that begins at this row and column.
  [[nodiscard]] MatrixPart at(std::int64_t row, std::int64_t column) const {
    return {values + row + column * stride, stride};
  }
};

/// The sizes of a product: C is m x n, and the inner dimension is k.
struct ProductSize {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
};

/// C = A B.
void multiply(const ProductSize& size, MatrixPart a, MatrixPart b, MatrixPart c);
/// C = C - A B^T.
void subtract_transposed(const ProductSize& size, MatrixPart a, MatrixPart b, MatrixPart c);
/// Subtracts A A^T from the lower triangle of C, which has n rows; k is the number of columns of A. The upper triangle
/// is not defined afterwards.
void subtract_square(std::int64_t n, std::int64_t k, MatrixPart a, MatrixPart c);
/// Solves X L^T = B for lower triangular L with n rows. X overwrites B, which has m rows.
void solve_triangular(std::int64_t m, std::int64_t n, MatrixPart l, MatrixPart b);
/// Overwrites the lower triangle of A by its Cholesky factor.
void factorize_part(std::int64_t n, MatrixPart a);

/// Z = X + sign Y, for square parts with n rows.
void add_parts(std::int64_t n, MatrixPart x, double sign, MatrixPart y, MatrixPart z);

/// Return n numbers in (-1/2, 1/2), and the product of a matrix that has n rows with a vector.
[[nodiscard]] std::vector<double> random_numbers(std::int64_t n, std::uint64_t seed);
[[nodiscard]] std::vector<double> times_vector(const std::vector<double>& matrix, const std::vector<double>& x);
/// Returns the largest difference of two vectors.
[[nodiscard]] double largest_difference(const std::vector<double>& x, const std::vector<double>& y);

}  // namespace troupe::bench
