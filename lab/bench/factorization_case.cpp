#include "lab/bench/factorization_case.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "lab/bench/runner.hpp"
#include "lab/bench/statistics.hpp"
#include "proto/json/json.hpp"
#include "proto/random.hpp"

namespace troupe::bench {
namespace {

/// The largest valid residual, as in LAPACK's test programs.
constexpr double kResidualBound = 30;
constexpr std::int64_t kLargestWarmUp = 2048;
constexpr std::size_t kMostRuns = 15;
constexpr double kEnoughSeconds = 0.3;

Algorithm algorithm_named(const std::string& name) {
  if (name == "cholesky") return Algorithm::cholesky;
  if (name == "lu") return Algorithm::lu;
  if (name == "qr") return Algorithm::qr;
  throw BadParameter("algorithm=" + name + ": cholesky, lu or qr");
}

Matrix random_values(std::int64_t rows, std::int64_t cols, std::uint64_t seed) {
  Matrix matrix(rows, cols);
  Random random(seed);
  for (double& value : matrix.values) value = static_cast<double>(random.next() >> 11U) * 0x1p-53 - 0.5;
  return matrix;
}

/// Copies the lower triangle to the upper triangle, in blocks that fit into the cache.
void mirror(Matrix& a) {
  constexpr std::int64_t kBlock = 64;
  for (std::int64_t first_col = 0; first_col < a.cols; first_col += kBlock) {
    for (std::int64_t first_row = first_col; first_row < a.rows; first_row += kBlock) {
      for (std::int64_t j = first_col; j < std::min(first_col + kBlock, a.cols); ++j) {
        for (std::int64_t i = std::max(first_row, j); i < std::min(first_row + kBlock, a.rows); ++i) a(j, i) = a(i, j);
      }
    }
  }
}

double largest(const std::vector<double>& values) {
  double result = 0;
  for (const double value : values) result = std::isnan(value) ? value : std::max(result, std::abs(value));
  return result;
}

double residual_of(const Matrix& a, const Matrix& x, const Matrix& b) {
  std::vector<double> error = b.values;
  std::vector<double> row_sums(b.values.size());
  for (std::int64_t j = 0; j < a.cols; ++j) {
    const double factor = x(j, 0);
    const double* column = &a(0, j);
    for (std::size_t i = 0; i < error.size(); ++i) {
      error[i] -= column[i] * factor;
      row_sums[i] += std::abs(column[i]);
    }
  }
  return largest(error) / (static_cast<double>(a.rows) * largest(row_sums) * largest(x.values) * 0x1p-53);
}

void warm_up(const FactorizationCase& options, const Factorize& factorize) {
  Matrix a = random_matrix(options.algorithm, std::min(options.n, kLargestWarmUp), 2);
  factorize(a);
}

}  // namespace

FactorizationCase factorization_case(Parameters& parameters) {
  FactorizationCase options;
  options.algorithm = algorithm_named(parameters.text("algorithm", "cholesky"));
  options.n = parameters.integer("n", options.n, 1);
  options.tile = parameters.integer("tile", 0);
  options.tile_rows = parameters.integer("tile_rows", 0);
  options.inner = parameters.integer("inner", 0);
  options.cores = cores_of(parameters);
  constexpr std::int64_t kLargest = 1 << 17;  // LAPACK counts bytes of rows in 32 bits in some places.
  if (options.n > kLargest) throw BadParameter("n: at most 131072");
  return options;
}

Matrix random_matrix(Algorithm algorithm, std::int64_t n, std::uint64_t seed) {
  Matrix matrix = random_values(n, n, seed);
  if (algorithm != Algorithm::cholesky) return matrix;
  mirror(matrix);
  for (std::int64_t i = 0; i < n; ++i) matrix(i, i) += static_cast<double>(n);
  return matrix;
}

double flop_count(Algorithm algorithm, std::int64_t order) {
  const auto n = static_cast<double>(order);
  switch (algorithm) {
    case Algorithm::cholesky: return n * n * n / 3 + n * n / 2;
    case Algorithm::lu: return 2 * n * n * n / 3 - n * n / 2;
    case Algorithm::qr: return 4 * n * n * n / 3;
  }
  return 0;
}

Json measure_factorization(const FactorizationCase& options, const Factorize& factorize) {
  warm_up(options, factorize);
  const Matrix original = random_matrix(options.algorithm, options.n, 1);
  Matrix a = original;
  std::unique_ptr<Factors> factors;
  std::vector<double> seconds;
  do {
    factors.reset();  // The factors refer to the matrix, so they are destroyed before it changes.
    std::copy(original.values.begin(), original.values.end(), a.values.begin());
    const auto start = std::chrono::steady_clock::now();
    factors = factorize(a);
    seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  } while (seconds.size() < kMostRuns && std::accumulate(seconds.begin(), seconds.end(), 0.0) < kEnoughSeconds);
  const Matrix b = random_values(options.n, 1, 3);
  Matrix x = b;
  factors->solve(x);
  const double residual = residual_of(original, x, b);
  if (!(residual < kResidualBound)) throw std::runtime_error("the residual is " + std::to_string(residual));
  const double flops = flop_count(options.algorithm, options.n);
  const double typical = median_of(seconds);
  return {{"seconds", typical},
          {"fastest_seconds", *std::min_element(seconds.begin(), seconds.end())},
          {"runs", seconds.size()},
          {"flops", flops},
          {"gflops", flops / typical * 1e-9},
          {"residual", residual}};
}

}  // namespace troupe::bench
