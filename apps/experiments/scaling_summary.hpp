/// What an experiment over the number of accelerators has to say, for people, for machines and as a picture.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "apps/experiments/scaling_request.hpp"
#include "apps/simulate/scaling_chart.hpp"
#include "proto/median.hpp"

namespace troupe::apps {

/// Of the runs of one policy on one number of accelerators.
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
  /// The mean of |measured - predicted| / measured over the tasks of all runs that were placed with a prediction;
  /// nothing where there are none.
  std::optional<double> prediction_error;
  /// The largest; nothing where none was asked for.
  std::optional<double> residual;
};

/// `runs`: at least one outcome.
[[nodiscard]] ScalingPoint scaling_point(const ScalingRuns& runs);

/// "cholesky, n = 8192, tile 512, double precision, emulated accelerators".
[[nodiscard]] std::string scaling_title(const ScalingArguments& arguments);
[[nodiscard]] std::string scaling_text(const ScalingArguments& arguments, const std::vector<ScalingPoint>& points);
[[nodiscard]] nlohmann::json scaling_json(const ScalingArguments& arguments, const std::vector<ScalingRuns>& runs,
                                          const std::vector<ScalingPoint>& points);
/// Speed and bytes over the number of accelerators, a line for each policy.
[[nodiscard]] ScalingChart scaling_chart(const ScalingArguments& arguments, const std::vector<ScalingPoint>& points);

}  // namespace troupe::apps
