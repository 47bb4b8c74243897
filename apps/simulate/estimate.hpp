/// The mean of a few measurements, and its confidence interval.
#pragma once

#include <cstddef>
#include <span>

namespace troupe::apps {

struct Estimate {
  double mean = 0;
  /// Half the width of the mean's 95 % confidence interval, for normally distributed measurements (Student's t). 0 if
  /// all values are equal. Also 0 if there is only one value, because its scatter is unknown.
  double margin = 0;
};

/// Computes the estimate; zero if there are no values.
[[nodiscard]] Estimate estimate(std::span<const double> values);

/// Returns the t for which a Student variable with `degrees` degrees of freedom (at least 1) lies outside [-t, t] with
/// probability 0.05: 12.706 for 1, 2.045 for 29, 1.960 for very many.
[[nodiscard]] double student_t_95(std::size_t degrees);

}  // namespace troupe::apps
