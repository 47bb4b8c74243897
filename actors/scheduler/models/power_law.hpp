/// A law that gives the time of a kernel for each size. It consists of two numbers that people can read.
#pragma once

#include <optional>

#include "actors/scheduler/models/time_law.hpp"

namespace troupe::scheduler {

/// The law time = factor * size^exponent, for sizes between the smallest and the largest that it was fitted to.
struct PowerLaw {
  double factor_s = 0;
  double exponent = 0;
  double least_size = 0;
  double most_size = 0;

  /// Returns the time in seconds; nothing outside of the measured sizes, where the law may be far off (small tiles do
  /// not fill a GPU, and large tiles do not fit into a cache).
  [[nodiscard]] std::optional<double> at(double size) const;
};

/// Fits a power law to all measurements in the sums, by weighted least squares of the logarithms. Returns nothing in
/// these cases: there are fewer than two measurements; the largest size is less than 1.5 times the smallest; the
/// exponent is below 0 (larger tasks would be faster) or above 3 (a product of matrices has 1.5 if sizes are bytes); or
/// the times differ from the law by a factor of 1.5 or more (root mean square), so they depend on something other than
/// the size. O(1).
[[nodiscard]] std::optional<PowerLaw> power_law_through(const TimeLaw::Sums& sums);

}  // namespace troupe::scheduler
