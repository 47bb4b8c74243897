#include "lab/bench/recursion/cholesky.hpp"

namespace troupe::bench {

RecursiveCholesky::RecursiveCholesky(const RecursionCase& options)
    : n_(options.n), cutoff_(options.cutoff), original_(random_numbers(n_ * n_, 1)) {
  const auto n = static_cast<std::size_t>(n_);
  for (std::size_t j = 0; j < n; ++j) {
    original_[j + j * n] += static_cast<double>(n);
    for (std::size_t i = 0; i < j; ++i) original_[i + j * n] = original_[j + i * n];
  }
}

std::vector<double> RecursiveCholesky::lower() const {
  const auto n = static_cast<std::size_t>(n_);
  std::vector<double> factor = a_;
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = 0; i < j; ++i) factor[i + j * n] = 0;
  }
  return factor;
}

void RecursiveCholesky::check() const {
  const auto n = static_cast<std::size_t>(n_);
  const std::vector<double> factor = lower();
  const std::vector<double> x = random_numbers(n_, 3);
  // L^T x, which is multiplied by L afterwards.
  std::vector<double> y(n);
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = j; i < n; ++i) y[j] += factor[i + j * n] * x[i];
  }
  const double error = largest_difference(times_vector(factor, y), times_vector(original_, x));
  constexpr double kTolerance = 1e-12;
  require_right(error < kTolerance * static_cast<double>(n_), Recursion::cholesky);
}

}  // namespace troupe::bench
