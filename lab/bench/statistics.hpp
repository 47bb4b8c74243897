/// Statistics of the times of several runs.
#pragma once

#include <span>
#include <vector>

#include "proto/median.hpp"

namespace troupe::bench {

using Estimate = MedianInterval;

/// Return the median, and the median with its interval. Both throw std::invalid_argument if there are no samples.
[[nodiscard]] double median_of(std::vector<double> samples);
[[nodiscard]] Estimate estimate(std::vector<double> samples);

/// Returns the ratios of pairs of figures that were measured one after the other. Both spans must have the same size.
[[nodiscard]] std::vector<double> ratios(std::span<const double> numerators, std::span<const double> denominators);

/// Returns the `fraction` quantile, by the nearest-rank method. `sorted` must be in ascending order and not empty.
[[nodiscard]] double quantile(std::span<const double> sorted, double fraction);

}  // namespace troupe::bench
