#include "bench/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace troupe::bench {
namespace {

double middle(const std::vector<double>& sorted) {
  const std::size_t half = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

std::vector<double> sorted_samples(std::vector<double> samples) {
  if (samples.empty()) throw std::invalid_argument("a median needs a sample");
  std::sort(samples.begin(), samples.end());
  return samples;
}

}  // namespace

double median_of(std::vector<double> samples) { return middle(sorted_samples(std::move(samples))); }

Estimate estimate(std::vector<double> samples) {
  const std::vector<double> sorted = sorted_samples(std::move(samples));
  const std::size_t n = sorted.size();
  // The median lies outside of [x(k), x(n+1-k)] where fewer than k samples fall on one of its sides.
  double outside = 0;
  double term = std::pow(0.5, static_cast<double>(n));  // one tail: P(no sample on that side)
  std::size_t k = 1;
  outside = 2 * term;
  while (2 * (k + 1) <= n + 1) {
    term *= static_cast<double>(n - k + 1) / static_cast<double>(k);
    if (outside + 2 * term > 0.05) break;
    outside += 2 * term;
    ++k;
  }
  return {middle(sorted), sorted[k - 1], sorted[n - k], n == 1 ? 0 : 1 - outside, n};
}

std::vector<double> ratios(std::span<const double> numerators, std::span<const double> denominators) {
  std::vector<double> result;
  for (std::size_t i = 0; i < numerators.size(); ++i) result.push_back(numerators[i] / denominators[i]);
  return result;
}

double quantile(std::span<const double> sorted, double share) {
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(sorted.size())));
  return sorted[std::clamp<std::size_t>(rank, 1, sorted.size()) - 1];
}

}  // namespace troupe::bench
