#include "lab/bench/recursion/fft.hpp"

#include <bit>
#include <cmath>
#include <numbers>

#include "lab/bench/recursion/matrix_parts.hpp"

namespace troupe::bench {
namespace {

/// Errors of roots and sums grow with the logarithm of the number of points; this is for each doubling.
constexpr double kErrorPerStep = 1e-14;

/// The operator of `std::complex` also treats infinite numbers, which takes longer.
Complex fast_product(Complex x, Complex y) {
  return {x.real() * y.real() - x.imag() * y.imag(), x.real() * y.imag() + x.imag() * y.real()};
}

/// Returns the root of unity of order `n` with this number.
Complex unit_root(std::int64_t number, std::int64_t n) {
  return std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(number) / static_cast<double>(n));
}

double sum_of_squares(const std::vector<Complex>& values) {
  double sum = 0;
  for (const Complex& value : values) sum += std::norm(value);
  return sum;
}

/// Returns the place of a frequency among `n`: its number with the bits in reverse order.
std::int64_t place_of_frequency(std::int64_t frequency, std::int64_t n) {
  std::int64_t place = 0;
  for (std::int64_t bit = 1; bit < n; bit *= 2) place = 2 * place + ((frequency & bit) != 0 ? 1 : 0);
  return place;
}

}  // namespace

Fft::Fft(const RecursionCase& options) : n_(options.n), cutoff_(options.cutoff) {
  if (!std::has_single_bit(static_cast<std::uint64_t>(n_))) throw BadParameter("n: a transform has 2^k points");
  roots_.reserve(static_cast<std::size_t>(n_));
  for (std::int64_t part = n_; part > 1; part /= 2) {
    for (std::int64_t k = 0; k < part / 2; ++k) roots_.push_back(unit_root(k, part));
  }
  const std::vector<double> numbers = random_numbers(2 * n_, 1);
  for (std::size_t i = 0; i < numbers.size(); i += 2) original_.emplace_back(numbers[i], numbers[i + 1]);
  sum_of_squares_ = sum_of_squares(original_);
}

void Fft::butterflies(Complex* part, std::int64_t n, std::int64_t first, std::int64_t last) const {
  const Complex* roots = roots_for(n);
  Complex* low = part;
  Complex* high = part + n / 2;
  for (std::int64_t k = first; k < last; ++k) {
    const Complex difference = low[k] - high[k];
    low[k] += high[k];
    high[k] = fast_product(difference, roots[k]);
  }
}

void Fft::transform_without_tasks(Complex* part, std::int64_t n) const {
  if (n < 2) return;
  butterflies(part, n, 0, n / 2);
  transform_without_tasks(part, n / 2);
  transform_without_tasks(part + n / 2, n / 2);
}

void Fft::check() const {
  const double steps = std::log2(static_cast<double>(n_)) + 1;
  const double tolerance = kErrorPerStep * steps;
  const auto n = static_cast<double>(n_);
  bool right = std::abs(sum_of_squares(values_) - n * sum_of_squares_) <= tolerance * n * sum_of_squares_;
  for (const std::int64_t frequency : {std::int64_t{0}, std::int64_t{1}, n_ / 3, n_ - 1}) {
    const Complex step = unit_root(frequency % n_, n_);
    Complex sum;
    Complex root = 1;
    for (std::int64_t i = 0; i < n_; ++i) {
      // Products of roots gather errors, so every 32nd root is computed anew.
      root = i % 32 == 0 ? unit_root(frequency * i % n_, n_) : fast_product(root, step);
      sum += fast_product(original_[static_cast<std::size_t>(i)], root);
    }
    const Complex& value = values_[static_cast<std::size_t>(place_of_frequency(frequency % n_, n_))];
    right = right && std::abs(value - sum) <= tolerance * std::sqrt(n * sum_of_squares_);
  }
  require_right(right, Recursion::fft);
}

std::uint64_t Fft::checksum() const {
  return checksum_of({reinterpret_cast<const double*>(values_.data()), 2 * values_.size()});
}

}  // namespace troupe::bench
