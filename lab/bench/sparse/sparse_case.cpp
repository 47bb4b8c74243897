#include "lab/bench/sparse/sparse_case.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>

#include "lab/bench/runner.hpp"
#include "lab/bench/statistics.hpp"
#include "linalg/residuals.hpp"
#include "linalg/sparse/convection_diffusion.hpp"
#include "linalg/sparse/sparse_file.hpp"
#include "proto/json/json.hpp"

namespace troupe::bench {
namespace {

double sum_of_sizes(const std::vector<double>& x) {
  return std::accumulate(x.begin(), x.end(), 0.0, [](double sum, double value) { return sum + std::abs(value); });
}

double sparse_residual(const linalg::CompressedMatrix& a, const std::vector<double>& x, const std::vector<double>& b) {
  std::vector<double> error = linalg::product(a, x);
  for (std::size_t i = 0; i < error.size(); ++i) error[i] -= b[i];
  return sum_of_sizes(error) / (static_cast<double>(a.order) * linalg::one_norm(a) * sum_of_sizes(x) * 0x1p-53);
}

}  // namespace

SparseCase sparse_case(Parameters& parameters) {
  constexpr std::int64_t kMostPoints = 200;
  SparseCase options;
  const std::string file = parameters.text("file", "");
  const std::int64_t points = parameters.integer("points", 10, 1);
  const double wind = parameters.number("wind", 20);
  if (points > kMostPoints) throw BadParameter("points: at most " + std::to_string(kMostPoints));
  options.matrix = file.empty() ? linalg::convection_diffusion(static_cast<int>(points), wind)
                                : linalg::read_sparse(file).value_or_throw();
  options.cores = cores_of(parameters);
  return options;
}

Json measure_sparse(const SparseCase& options, const SolveSparse& solve) {
  constexpr std::size_t kLeastRuns = 3;
  constexpr std::size_t kMostRuns = 9;
  constexpr double kEnoughSeconds = 1;
  const std::vector<double> b =
      linalg::product(options.matrix, std::vector<double>(static_cast<std::size_t>(options.matrix.order), 1));
  std::vector<double> x = solve(b);
  std::vector<double> seconds;
  do {
    const auto start = std::chrono::steady_clock::now();
    x = solve(b);
    seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  } while (seconds.size() < kLeastRuns ||
           (seconds.size() < kMostRuns && std::accumulate(seconds.begin(), seconds.end(), 0.0) < kEnoughSeconds));
  const double residual = sparse_residual(options.matrix, x, b);
  if (!(residual < linalg::kResidualBound)) throw std::runtime_error("the residual is " + std::to_string(residual));
  return {{"seconds", median_of(seconds)},
          {"fastest_seconds", *std::ranges::min_element(seconds)},
          {"runs", seconds.size()},
          {"n", options.matrix.order},
          {"entries", options.matrix.entries()},
          {"residual", residual}};
}

}  // namespace troupe::bench
