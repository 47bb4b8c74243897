#include "apps/simulate/estimate.hpp"

#include <cmath>
#include <numbers>

namespace troupe::apps {

namespace {

/// Returns the probability that a Student variable lies within [-t, t]. Uses the finite sums for whole degrees of
/// freedom in M. Abramowitz and I. A. Stegun, Handbook of Mathematical Functions, 26.7.3 and 26.7.4.
double within(double t, std::size_t degrees) {
  const double angle = std::atan(t / std::sqrt(static_cast<double>(degrees)));
  const double cosine = std::cos(angle);
  const bool odd = degrees % 2 == 1;
  double term = odd ? cosine : 1;
  double sum = degrees > 1 ? term : 0;
  for (std::size_t i = odd ? 3 : 2; i + 1 < degrees; i += 2) {
    term *= cosine * cosine * static_cast<double>(i - 1) / static_cast<double>(i);
    sum += term;
  }
  sum *= std::sin(angle);
  return odd ? (angle + sum) * 2 / std::numbers::pi : sum;
}

}  // namespace

double student_t_95(std::size_t degrees) {
  constexpr double kProbability = 0.95;
  // The sums become long for many degrees of freedom. From this number on, the normal distribution with its first
  // correction is exact to five digits.
  constexpr std::size_t kMostDegrees = 10000;
  if (degrees > kMostDegrees) return 1.959964 + 2.372271 / static_cast<double>(degrees);
  double low = 1;
  double high = 13;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (within(middle, degrees) < kProbability ? low : high) = middle;
  }
  return (low + high) / 2;
}

Estimate estimate(std::span<const double> values) {
  if (values.empty()) return {};
  const auto count = static_cast<double>(values.size());
  double sum = 0;
  for (const double value : values) sum += value;
  Estimate result{sum / count, 0};
  if (values.size() == 1) return result;
  double squares = 0;
  for (const double value : values) squares += (value - result.mean) * (value - result.mean);
  result.margin = student_t_95(values.size() - 1) * std::sqrt(squares / (count - 1) / count);
  return result;
}

}  // namespace troupe::apps
