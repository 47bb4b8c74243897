/// The numbers that a picture shows: in the legend, and beside each worker's row.
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
  /// The end of the last task, in seconds since the start of the run.
  double end_s = 0;
  /// The legend, ordered by descending time, so that the codelets that matter most have the first colours. Codelets
  /// with equal times are ordered by name. If there are more than `kMostCodelets` codelets, the last entry stands for
  /// all codelets that have no entry.
  std::vector<LegendEntry> legend;
  /// For each span of the picture, the index of its codelet in `legend`.
  std::vector<std::size_t> legend_index;
  std::vector<WorkerSummary> workers;
};

constexpr std::size_t kMostCodelets = 12;

/// Fails with `ErrorCode::invalid_argument` if there is no worker, if there are too many workers to draw, and if a span
/// has no worker, or has times that are negative, reversed or not finite.
Result<PictureSummary> summarize(const Picture& picture);

}  // namespace troupe::traces
