/// The growth of times with sizes, in two numbers that people can read.
#pragma once

#include <optional>

#include "actors/scheduler/models/time_law.hpp"

namespace troupe::scheduler {

/// time = factor * size^exponent, between the sizes that it was fitted to.
struct PowerLaw {
  double factor_s = 0;
  double exponent = 0;
  double least_size = 0;
  double most_size = 0;

  /// Nothing outside of the sizes that were measured: there it may be far off (small tiles do not fill a GPU, large
  /// ones no cache).
  [[nodiscard]] std::optional<double> at(double size) const;
};

/// The power law with the least weighted squares of the differences of logarithms, through all measurements that are in
/// the sums. Nothing where there are fewer than two, or the sizes are too near to one another to say (the largest less
/// than 1.5 times the smallest); where the exponent is absurd (below 0: larger would be faster; above 3: with bytes as
/// sizes, a product of matrices has 1.5); and where times are off by a factor of 1.5 from it, as root mean square, so
/// that size is not what they depend on. O(1).
[[nodiscard]] std::optional<PowerLaw> power_law_through(const TimeLaw::Sums& sums);

}  // namespace troupe::scheduler
