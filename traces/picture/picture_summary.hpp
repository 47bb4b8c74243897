/// What a picture says in numbers: the legend, and a line per worker.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "traces/picture/picture.hpp"

namespace troupe::traces {

struct LegendEntry {
  std::string name;
  std::uint64_t tasks = 0;
  double busy_s = 0;
};

struct WorkerSummary {
  std::uint64_t tasks = 0;
  /// Seconds in which it ran at least one task.
  double busy_s = 0;
};

struct PictureSummary {
  /// The end of the last task.
  double end_s = 0;
  /// By descending time, so that the codelets that matter most have the first colours and colours stay the same from
  /// run to run; equal ones by name. Where there are more than `kMostCodelets`, the last entry stands for all others.
  std::vector<LegendEntry> legend;
  /// For each span of the picture, its index in `legend`.
  std::vector<std::size_t> legend_index;
  std::vector<WorkerSummary> workers;
};

constexpr std::size_t kMostCodelets = 12;

/// `ErrorCode::invalid_argument` where there is no worker or there are too many to draw, or a span has no worker or
/// times that are negative, reversed or not finite.
Result<PictureSummary> summarize(const Picture& picture);

}  // namespace troupe::traces
