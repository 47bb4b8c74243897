#include "actors/scheduler/models/power_law.hpp"

#include <algorithm>
#include <cmath>

namespace troupe::scheduler {

namespace {

constexpr double kLeastSpread = 1.5;
constexpr double kMostExponent = 3;
constexpr double kMostError = 1.5;
/// Sizes and means are rounded numbers: 1.5 times a size must count as such.
constexpr double kRounding = 1e-9;

}  // namespace

std::optional<double> PowerLaw::at(double size) const {
  if (size < least_size * (1 - kRounding) || size > most_size * (1 + kRounding)) return std::nullopt;
  return factor_s * std::pow(size, exponent);
}

std::optional<PowerLaw> fit_power_law(std::span<const SizedTime> times) {
  if (times.empty()) return std::nullopt;
  const auto [least, most] =
      std::ranges::minmax_element(times, {}, [](const SizedTime& measured) { return measured.size; });
  if (most->size < kLeastSpread * least->size * (1 - kRounding)) return std::nullopt;
  double weights = 0;
  double mean_x = 0;
  double mean_y = 0;
  for (const SizedTime& measured : times) {
    weights += measured.weight;
    mean_x += measured.weight * std::log(measured.size);
    mean_y += measured.weight * std::log(measured.time_s);
  }
  mean_x /= weights;
  mean_y /= weights;
  double xx = 0;
  double xy = 0;
  for (const SizedTime& measured : times) {
    const double x = std::log(measured.size) - mean_x;
    xx += measured.weight * x * x;
    xy += measured.weight * x * (std::log(measured.time_s) - mean_y);
  }
  const double exponent = xy / xx;
  if (!(exponent >= -kRounding && exponent <= kMostExponent)) return std::nullopt;
  double squares = 0;
  for (const SizedTime& measured : times) {
    const double miss = std::log(measured.time_s) - mean_y - exponent * (std::log(measured.size) - mean_x);
    squares += measured.weight * miss * miss;
  }
  if (squares > weights * std::log(kMostError) * std::log(kMostError)) return std::nullopt;
  return PowerLaw{std::exp(mean_y - exponent * mean_x), exponent, least->size, most->size};
}

}  // namespace troupe::scheduler
