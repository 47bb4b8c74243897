/// Medians with confidence intervals. No distribution of the measurements is assumed.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace troupe {

/// The median of a few measurements, and an interval in which the median of all possible measurements lies.
struct MedianInterval {
  double median = 0;
  double low = 0;
  double high = 0;
  /// The probability that the median of all possible measurements lies in the interval. It is at least 0.95 from six
  /// values on. For fewer values the interval goes from the smallest to the largest value, and the probability is
  /// lower: 0.94 for five values, 0.75 for three, 0 for one.
  double coverage = 0;
  std::size_t samples = 0;
};

/// Computes the interval by order statistics: David and Nagaraja, "Order Statistics", section 7.1. Without values all
/// results are zero.
[[nodiscard]] inline MedianInterval median_interval(std::vector<double> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  const std::size_t count = values.size();
  const double median = count % 2 == 1 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
  // The interval leaves out the k smallest and the k largest values. The probability that the median is below the
  // interval equals the probability of at most k heads in one coin toss per value; k grows while this probability is at
  // most 0.025.
  double probability = std::exp2(-static_cast<double>(count));
  double sum = probability;
  std::size_t left_out = 0;
  while (true) {
    probability *= static_cast<double>(count - left_out) / static_cast<double>(left_out + 1);
    if (sum + probability > 0.025) break;
    sum += probability;
    ++left_out;
  }
  return {median, values[left_out], values[count - 1 - left_out], count == 1 ? 0 : 1 - 2 * sum, count};
}

}  // namespace troupe
