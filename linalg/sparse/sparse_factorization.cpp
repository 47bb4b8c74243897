#include "linalg/sparse/sparse_factorization.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "linalg/sparse/block_lu.hpp"
#include "linalg/sparse/block_solve.hpp"
#include "linalg/wait_for_factors.hpp"

namespace troupe::linalg {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

double sum_of_sizes(const std::vector<double>& x) {
  double sum = 0;
  for (const double value : x) sum += std::abs(value);
  return sum;
}

/// Returns true if, in this row, elements of x or products with elements of x are so small that a double has fewer
/// digits for them (subnormal numbers).
bool is_tiny(const CompressedMatrix& a, std::int64_t row, const std::vector<double>& x, double scale) {
  constexpr double kLeast = std::numeric_limits<double>::min();
  if (scale < kLeast / std::numeric_limits<double>::epsilon()) return true;
  bool all_zero = true;
  for (const std::int32_t col : a.cols_of(row)) {
    const double size = std::abs(x[static_cast<std::size_t>(col)]);
    if (size > 0 && size < kLeast) return true;
    all_zero = all_zero && size == 0;
  }
  return all_zero;
}

struct BackwardError {
  double value = 0;
  /// The row in which the error is the largest.
  std::int64_t row = 0;
  /// The value of |A| |x| + |b| in that row.
  double scale = 0;

  [[nodiscard]] bool out_of_range(const CompressedMatrix& a, const std::vector<double>& x) const {
    return value > 0 && (!std::isfinite(value) || is_tiny(a, row, x, scale));
  }
};

/// Returns the error that `SparseSolution::backward_error` describes; `rest` is b - A x. No column is empty, so every
/// element of x that is not finite makes the error of some row infinite or NaN.
BackwardError backward_error(const CompressedMatrix& a, const std::vector<double>& x, const std::vector<double>& b,
                             const std::vector<double>& rest) {
  BackwardError worst;
  for (std::int64_t row = 0; row < a.order; ++row) {
    const auto i = static_cast<std::size_t>(row);
    double scale = std::abs(b[i]);
    const auto cols = a.cols_of(row);
    for (std::size_t k = 0; k < cols.size(); ++k) {
      scale += std::abs(a.values_of(row)[k] * x[static_cast<std::size_t>(cols[k])]);
    }
    if (!std::isfinite(scale) || !std::isfinite(rest[i])) return {std::numeric_limits<double>::infinity(), row, scale};
    const double error = rest[i] == 0 ? 0 : std::abs(rest[i]) / scale;
    if (error > worst.value) worst = {error, row, scale};
  }
  return worst;
}

}  // namespace

template <class T>
SparseFactorization<T>::SparseFactorization(Runtime& runtime, const CompressedMatrix& a, const SparseOptions& options)
    : SparseFactorization(runtime, a, analyse(a, options)) {}

template <class T>
SparseFactorization<T>::SparseFactorization(Runtime& runtime, const CompressedMatrix& a, SparseAnalysis analysis)
    : a_(a), analysis_(std::move(analysis)) {
  const Clock::time_point start = Clock::now();
  factors_ = std::make_unique<BlockMatrix<T>>(runtime, analysis_.pattern, analysis_.cut);
  const double largest = scatter(a, analysis_, *factors_);
  const ReplacedPivotCounts counts(runtime, factors_->supers());
  block_lu(runtime, *factors_, counts, least_pivot<T>(largest));
  wait_for_factors(runtime, [this] { factors_->bring_home(); });
  replaced_ = counts.total();
  if (replaced_.count > 0) replaced_.first = analysis_.row_at(replaced_.first);
  factorization_seconds_ = seconds_since(start);
}

template <class T>
typename SparseFactorization<T>::SmallestPivot SparseFactorization<T>::smallest_pivot() const {
  SmallestPivot smallest{0, std::numeric_limits<double>::infinity()};
  for (std::int64_t row = 0; row < a_.order; ++row) {
    const double size = std::abs(static_cast<double>((*factors_)(row, row)));
    if (!(size >= smallest.size)) smallest = {row, size};
    // The first NaN counts as the smallest pivot, so the search ends here.
    if (std::isnan(size)) break;
  }
  if (a_.order > 0) smallest.row = analysis_.row_at(smallest.row);
  return smallest;
}

template <class T>
std::vector<double> SparseFactorization<T>::solve_once(const std::vector<double>& b) const {
  // Scale b by a power of two, so that the largest element is about 1. Otherwise products with the scales, or numbers
  // of type `T`, might be out of range.
  const auto exponent = [](double value) { return value == 0 || !std::isfinite(value) ? 0 : std::ilogb(value); };
  int shift = std::numeric_limits<int>::min();
  for (std::size_t i = 0; i < b.size(); ++i) {
    if (b[i] != 0) shift = std::max(shift, exponent(b[i]) + exponent(analysis_.row_scale[i]));
  }
  std::vector<double> x(b.size());
  if (shift == std::numeric_limits<int>::min()) return x;
  std::vector<T> y(static_cast<std::size_t>(factors_->rows()));
  for (std::size_t i = 0; i < b.size(); ++i) {
    y[static_cast<std::size_t>(analysis_.place_of_row[i])] =
        static_cast<T>(std::ldexp(b[i], exponent(analysis_.row_scale[i]) - shift));
  }
  block_lu_solve(*factors_, y);
  for (std::size_t j = 0; j < x.size(); ++j) {
    x[j] = std::ldexp(static_cast<double>(y[static_cast<std::size_t>(analysis_.place_of_col[j])]),
                      exponent(analysis_.col_scale[j]) + shift);
  }
  return x;
}

template <class T>
SparseSolution SparseFactorization<T>::solve(const std::vector<double>& b) const {
  if (b.size() != static_cast<std::size_t>(a_.order)) {
    throw Error(ErrorCode::invalid_argument, "a right-hand side of " + std::to_string(b.size()) +
                                                 " rows does not fit a system of order " + std::to_string(a_.order));
  }
  constexpr int kMostRefinements = 50;
  constexpr double kGoodRoundings = 4;
  constexpr double kMostRoundings = 100;
  const double eps = static_cast<double>(std::numeric_limits<T>::epsilon()) / 2;
  const double norm = one_norm(a_);
  SparseSolution best;
  best.residual.formula = "|b - A x| / (n |A| |x| eps)";
  best.backward_error_bound = replaced_.count > 0 ? kMostRoundings * eps : std::sqrt(eps);
  std::vector<double> x(b.size());
  std::vector<double> rest = b;
  for (int refinement = 0; refinement <= kMostRefinements; ++refinement) {
    const std::vector<double> correction = solve_once(rest);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += correction[i];
    rest = product(a_, x);
    for (std::size_t i = 0; i < x.size(); ++i) rest[i] = b[i] - rest[i];
    const BackwardError worst = backward_error(a_, x, b, rest);
    const double error = worst.value;
    const double before = best.backward_error;
    if (refinement == 0 || error < before) {
      best.x = x;
      best.refinements = refinement;
      best.backward_error = error;
      best.worst_row = worst.row;
      best.out_of_range = worst.out_of_range(a_, x);
      // If b is zero, `size` and `length` are both zero. Divide step by step, because the product of both norms might
      // be beyond the range of a double.
      const double size = sum_of_sizes(rest);
      const double length = sum_of_sizes(x);
      best.residual.value = size == 0     ? 0
                            : length == 0 ? std::numeric_limits<double>::infinity()
                                          : size / norm / length / eps / static_cast<double>(a_.order);
    }
    // Refinement cannot improve a value that is not finite.
    if (!std::isfinite(error)) break;
    const bool may_stop = refinement > 0 || replaced_.count == 0;
    // Stop when the error is as small as rounding allows, or when it no longer falls.
    if (may_stop && error <= kGoodRoundings * eps) break;
    if (refinement > 0 && !(error <= before / 2)) break;
  }
  best.nearly_singular =
      replaced_.count > 0 && sum_of_sizes(best.x) * norm * std::sqrt(eps) >= sum_of_sizes(b) && sum_of_sizes(b) > 0;
  return best;
}

template class SparseFactorization<float>;
template class SparseFactorization<double>;

}  // namespace troupe::linalg
