#include "actors/scheduler/models/power_law.hpp"

#include <algorithm>
#include <cmath>

namespace troupe::scheduler {

namespace {

constexpr double kLeastSpread = 1.5;
constexpr double kMostExponent = 3;
constexpr double kMostError = 1.5;
/// The tolerance for rounding errors: a largest size of exactly `kLeastSpread` times the smallest must be accepted.
constexpr double kRounding = 1e-9;

}  // namespace

std::optional<double> PowerLaw::at(double size) const {
  if (size < least_size * (1 - kRounding) || size > most_size * (1 + kRounding)) return std::nullopt;
  return factor_s * std::pow(size, exponent);
}

std::optional<PowerLaw> power_law_through(const TimeLaw::Sums& sums) {
  if (sums.count < 2 || !(sums.most[1] - sums.least[1] > std::log(kLeastSpread) - kRounding)) return std::nullopt;
  const double mean_x = sums.terms_by_terms[1] / sums.weight;
  const double mean_y = sums.terms_by_time[0] / sums.weight;
  const double xx = sums.terms_by_terms[2] - sums.weight * mean_x * mean_x;
  const double xy = sums.terms_by_time[1] - sums.weight * mean_x * mean_y;
  const double yy = sums.time_by_time - sums.weight * mean_y * mean_y;
  const double exponent = xy / xx;
  if (!(exponent >= -kRounding && exponent <= kMostExponent + kRounding)) return std::nullopt;
  if (yy - exponent * xy > sums.weight * std::log(kMostError) * std::log(kMostError)) return std::nullopt;
  const double factor = mean_y + sums.origin_time - exponent * (mean_x + sums.origin[1]);
  return PowerLaw{std::exp(factor), exponent, std::exp(sums.origin[1] + sums.least[1]),
                  std::exp(sums.origin[1] + sums.most[1])};
}

}  // namespace troupe::scheduler
