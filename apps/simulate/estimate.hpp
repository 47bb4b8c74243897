/// The mean of a few measurements, and its confidence interval.
#pragma once

#include <cstddef>
#include <span>

namespace troupe::apps {

struct Estimate {
  double mean = 0;
  /// Half the width of the mean's 95 % confidence interval, for measurements that scatter normally (Student's t). 0 if
  /// all are equal, or if there is only one, since nothing is known of its scatter.
  double margin = 0;
};

/// Computes the estimate; zero for no values.
[[nodiscard]] Estimate estimate(std::span<const double> values);

/// Returns the t that a Student variable with `degrees` degrees of freedom (at least 1) exceeds, either way, with
/// probability 0.05: 12.706 for 1, 2.045 for 29, 1.960 for very many.
[[nodiscard]] double student_t_95(std::size_t degrees);

}  // namespace troupe::apps
