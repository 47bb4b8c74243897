/// Medians with their intervals: no assumption about how measurements are distributed.
#pragma once

#include <span>
#include <vector>

namespace troupe::bench {

/// A median, and an interval that holds the true one with probability `coverage`.
struct Estimate {
  double median = 0;
  double low = 0;
  double high = 0;
  /// At least 0.95 from six samples on; fewer samples cannot give that, their range is taken.
  double coverage = 0;
  std::size_t samples = 0;
};

/// Both throw std::invalid_argument for no samples.
[[nodiscard]] double median_of(std::vector<double> samples);
/// The interval between two order statistics that covers the median with 95 % or the next more that there is; David and
/// Nagaraja, "Order Statistics", section 7.1.
[[nodiscard]] Estimate estimate(std::vector<double> samples);

/// The ratios of pairs that were measured one after the other. The spans are equally long.
[[nodiscard]] std::vector<double> ratios(std::span<const double> numerators, std::span<const double> denominators);

/// The `share` quantile, nearest rank. `sorted` ascends and is not empty.
[[nodiscard]] double quantile(std::span<const double> sorted, double share);

}  // namespace troupe::bench
