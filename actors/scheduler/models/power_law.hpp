/// How times grow with sizes.
#pragma once

#include <optional>
#include <span>

namespace troupe::scheduler {

/// A mean time at a size, both above 0.
struct SizedTime {
  double size = 0;
  double time_s = 0;
  /// How much it counts.
  double weight = 1;
};

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

/// The power law with the least weighted squares of the differences of logarithms. Nothing where the sizes are too near
/// to one another to say (the largest less than 1.5 times the smallest); where the exponent is absurd (below 0: larger
/// would be faster; above 3: with bytes as sizes, a product of matrices has 1.5); and where times are off by a factor
/// of 1.5 from it, as root mean square, so that size is not what they depend on. O(sizes).
[[nodiscard]] std::optional<PowerLaw> fit_power_law(std::span<const SizedTime> times);

}  // namespace troupe::scheduler
