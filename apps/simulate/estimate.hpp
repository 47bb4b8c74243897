/// The mean of a few measurements, and how sure it is.
#pragma once

#include <cstddef>
#include <span>

namespace troupe::apps {

struct Estimate {
  double mean = 0;
  /// Half the width of the mean's 95 % confidence interval, for measurements that scatter normally (Student's t). 0
  /// where they are equal, and where there is one only, of whose scatter nothing is known.
  double margin = 0;
};

/// Zero for no values.
[[nodiscard]] Estimate estimate(std::span<const double> values);

/// The t that a Student variable with so many degrees of freedom (at least 1) exceeds, either way, with probability
/// 0.05: 12.706 for 1, 2.045 for 29, 1.960 for very many.
[[nodiscard]] double student_t_95(std::size_t degrees);

}  // namespace troupe::apps
