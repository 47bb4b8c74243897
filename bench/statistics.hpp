/// What is said about the times of several runs.
#pragma once

#include <span>
#include <vector>

#include "proto/median.hpp"

namespace troupe::bench {

using Estimate = MedianInterval;

/// Both throw std::invalid_argument for no samples.
[[nodiscard]] double median_of(std::vector<double> samples);
[[nodiscard]] Estimate estimate(std::vector<double> samples);

/// The ratios of pairs that were measured one after the other. The spans are equally long.
[[nodiscard]] std::vector<double> ratios(std::span<const double> numerators, std::span<const double> denominators);

/// The `share` quantile, nearest rank. `sorted` ascends and is not empty.
[[nodiscard]] double quantile(std::span<const double> sorted, double share);

}  // namespace troupe::bench
