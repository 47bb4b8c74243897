#include "lab/bench/recursion/matrix_parts.hpp"

#include <algorithm>
#include <cmath>
#include <random>

namespace troupe::bench {
namespace {

/// The right factor of a product, with its elements multiplied by `sign`: element (l, j) is `row_step` l +
/// `column_step` j numbers from the first.
struct RightFactor {
  const double* values;
  std::int64_t row_step;
  std::int64_t column_step;
  double sign;

  [[nodiscard]] double operator()(std::int64_t row, std::int64_t column) const {
    return sign * values[row * row_step + column * column_step];
  }
};

/// Adds two columns of A, each times a number, to four columns of C.
void add_to_four(std::int64_t m, const double* __restrict a0, const double* __restrict a1, const double (&b)[2][4],
                 double* __restrict c0, double* __restrict c1, double* __restrict c2, double* __restrict c3) {
  for (std::int64_t i = 0; i < m; ++i) {
    const double x = a0[i];
    const double y = a1[i];
    c0[i] += x * b[0][0] + y * b[1][0];
    c1[i] += x * b[0][1] + y * b[1][1];
    c2[i] += x * b[0][2] + y * b[1][2];
    c3[i] += x * b[0][3] + y * b[1][3];
  }
}

void add_to_one(std::int64_t m, const double* __restrict a, double b, double* __restrict c) {
  for (std::int64_t i = 0; i < m; ++i) c[i] += b * a[i];
}

/// C = C + A B.
void add_product(const ProductSize& size, MatrixPart a, const RightFactor& b, MatrixPart c) {
  std::int64_t j = 0;
  for (; j + 4 <= size.n; j += 4) {
    std::int64_t l = 0;
    for (; l + 2 <= size.k; l += 2) {
      const double factors[2][4] = {{b(l, j), b(l, j + 1), b(l, j + 2), b(l, j + 3)},
                                    {b(l + 1, j), b(l + 1, j + 1), b(l + 1, j + 2), b(l + 1, j + 3)}};
      add_to_four(size.m, a.column(l), a.column(l + 1), factors, c.column(j), c.column(j + 1), c.column(j + 2),
                  c.column(j + 3));
    }
    for (; l < size.k; ++l) {
      for (std::int64_t column = j; column < j + 4; ++column) {
        add_to_one(size.m, a.column(l), b(l, column), c.column(column));
      }
    }
  }
  for (; j < size.n; ++j) {
    for (std::int64_t l = 0; l < size.k; ++l) add_to_one(size.m, a.column(l), b(l, j), c.column(j));
  }
}

}  // namespace

void multiply(const ProductSize& size, MatrixPart a, MatrixPart b, MatrixPart c) {
  for (std::int64_t j = 0; j < size.n; ++j) std::fill_n(c.column(j), size.m, 0.0);
  add_product(size, a, {b.values, 1, b.stride, 1.0}, c);
}

void subtract_transposed(const ProductSize& size, MatrixPart a, MatrixPart b, MatrixPart c) {
  add_product(size, a, {b.values, b.stride, 1, -1.0}, c);
}

void subtract_square(std::int64_t n, std::int64_t k, MatrixPart a, MatrixPart c) {
  constexpr std::int64_t kColumns = 32;
  for (std::int64_t j = 0; j < n; j += kColumns) {
    const std::int64_t columns = std::min(kColumns, n - j);
    subtract_transposed({n - j, columns, k}, a.at(j, 0), a.at(j, 0), c.at(j, j));
  }
}

void solve_triangular(std::int64_t m, std::int64_t n, MatrixPart l, MatrixPart b) {
  constexpr std::int64_t kColumns = 32;
  for (std::int64_t first = 0; first < n; first += kColumns) {
    const std::int64_t last = std::min(first + kColumns, n);
    subtract_transposed({m, last - first, first}, b, l.at(first, 0), b.at(0, first));
    for (std::int64_t j = first; j < last; ++j) {
      for (std::int64_t i = first; i < j; ++i) add_to_one(m, b.column(i), -l.column(i)[j], b.column(j));
      const double scale = 1 / l.column(j)[j];
      for (std::int64_t i = 0; i < m; ++i) b.column(j)[i] *= scale;
    }
  }
}

void factorize_part(std::int64_t n, MatrixPart a) {
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t i = 0; i < j; ++i) add_to_one(n - j, a.column(i) + j, -a.column(i)[j], a.column(j) + j);
    const double root = std::sqrt(a.column(j)[j]);
    a.column(j)[j] = root;
    for (std::int64_t i = j + 1; i < n; ++i) a.column(j)[i] /= root;
  }
}

void add_parts(std::int64_t n, MatrixPart x, double sign, MatrixPart y, MatrixPart z) {
  for (std::int64_t j = 0; j < n; ++j) {
    const double* const from = x.column(j);
    const double* const added = y.column(j);
    double* const to = z.column(j);
    for (std::int64_t i = 0; i < n; ++i) to[i] = from[i] + sign * added[i];
  }
}

std::vector<double> random_numbers(std::int64_t n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(-0.5, 0.5);
  std::vector<double> values(static_cast<std::size_t>(n));
  for (double& value : values) value = uniform(random);
  return values;
}

std::vector<double> times_vector(const std::vector<double>& matrix, const std::vector<double>& x) {
  const std::size_t n = x.size();
  std::vector<double> y(n);
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = 0; i < n; ++i) y[i] += matrix[i + j * n] * x[j];
  }
  return y;
}

double largest_difference(const std::vector<double>& x, const std::vector<double>& y) {
  double largest = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double difference = std::abs(x[i] - y[i]);
    // A difference that is not a number is kept.
    if (!(difference <= largest)) largest = difference;
  }
  return largest;
}

}  // namespace troupe::bench
