/// The summary of an experiment with several numbers of accelerators, as text for people, as JSON and as a chart.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/simulate/scaling_chart.hpp"
#include "lab/experiments/scaling_request.hpp"
#include "proto/json/json.hpp"
#include "proto/median.hpp"

namespace troupe::apps {

/// The results of the runs with one policy and one number of accelerators.
struct ScalingPoint {
  std::string policy;
  int gpus = 0;
  std::uint64_t tasks = 0;
  MedianInterval seconds;
  MedianInterval gflops;
  MedianInterval bytes;
  MedianInterval bytes_host_to_device;
  MedianInterval bytes_device_to_host;
  MedianInterval bytes_device_to_device;
  MedianInterval evictions;
  /// The mean of |measured - predicted| / measured over the tasks of all runs that had a prediction when they were
  /// placed; nothing if there are no such tasks.
  std::optional<double> prediction_error;
  /// The largest residual; nothing if residuals were not requested.
  std::optional<double> residual;
};

/// Combines the runs. `runs` must have at least one outcome.
[[nodiscard]] ScalingPoint scaling_point(const ScalingRuns& runs);

/// Returns a title such as "cholesky, n = 8192, tile 512, double precision, emulated accelerators".
[[nodiscard]] std::string scaling_title(const ScalingArguments& arguments);
[[nodiscard]] std::string scaling_text(const ScalingArguments& arguments, const std::vector<ScalingPoint>& points);
[[nodiscard]] Json scaling_json(const ScalingArguments& arguments, const std::vector<ScalingRuns>& runs,
                                const std::vector<ScalingPoint>& points);
/// Returns a chart of speed and bytes over the number of accelerators, with one line for each policy.
[[nodiscard]] ScalingChart scaling_chart(const ScalingArguments& arguments, const std::vector<ScalingPoint>& points);

}  // namespace troupe::apps
