#include "lab/bench/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace troupe::bench {
double median_of(std::vector<double> samples) { return estimate(std::move(samples)).median; }

Estimate estimate(std::vector<double> samples) {
  if (samples.empty()) throw std::invalid_argument("a median needs a sample");
  return median_interval(std::move(samples));
}

std::vector<double> ratios(std::span<const double> numerators, std::span<const double> denominators) {
  std::vector<double> result;
  for (std::size_t i = 0; i < numerators.size(); ++i) result.push_back(numerators[i] / denominators[i]);
  return result;
}

double quantile(std::span<const double> sorted, double fraction) {
  const auto rank = static_cast<std::size_t>(std::ceil(fraction * static_cast<double>(sorted.size())));
  return sorted[std::clamp<std::size_t>(rank, 1, sorted.size()) - 1];
}

}  // namespace troupe::bench
