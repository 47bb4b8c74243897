/// The numbers of a picture: the legend, and a line per worker.
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
  /// The seconds in which the worker ran at least one task.
  double busy_s = 0;
};

struct PictureSummary {
  /// The end of the last task.
  double end_s = 0;
  /// The legend, ordered by descending time. The codelets that matter most therefore have the first colours, and
  /// colours stay the same from run to run. Codelets with equal times are ordered by name. If there are more than
  /// `kMostCodelets`, the last entry stands for all others.
  std::vector<LegendEntry> legend;
  /// For each span of the picture, the index of its codelet in `legend`.
  std::vector<std::size_t> legend_index;
  std::vector<WorkerSummary> workers;
};

constexpr std::size_t kMostCodelets = 12;

/// Fails with `ErrorCode::invalid_argument` if there is no worker, if there are too many to draw, and if a span has no
/// worker or has times that are negative, reversed or not finite.
Result<PictureSummary> summarize(const Picture& picture);

}  // namespace troupe::traces
