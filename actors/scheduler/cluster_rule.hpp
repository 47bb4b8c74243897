/// The rule that finds the clusters of cores that suit the remaining work. It consists of plain functions of plain
/// values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "graph/data/size_classes.hpp"

namespace troupe::scheduler {

/// `count` clusters of `cores` cores each; a single core is a cluster of one core.
struct ClusterCount {
  int cores = 1;
  int count = 0;

  bool operator==(const ClusterCount&) const = default;
};
/// A grouping of all cores: the number of clusters of each size.
using CoreGrouping = std::vector<ClusterCount>;

/// The number of tasks of one size class.
struct ClassCount {
  SizeClassId size_class;
  std::uint32_t tasks = 0;

  bool operator==(const ClassCount&) const = default;
};
/// Tasks that could run at the same time.
using TaskLevel = std::vector<ClassCount>;

/// Workers that are equally fast.
struct EqualWorkers {
  int count = 0;
  /// The time of one task, in seconds, by size class; 0 if these workers cannot run it, or if nothing is known.
  std::vector<double> seconds;
};

/// Returns the time of a level, in seconds. If it has at most as many tasks as there are cores, the tasks are placed,
/// longest first, each on the worker where it ends first, and the result is the time when the last task ends. Levels
/// with more tasks overlap with their neighbours: their time is the work divided among all workers, or the longest task
/// if that takes longer. Size classes with unknown times count as zero. O(tasks * kinds of workers), at most O(cores *
/// kinds).
[[nodiscard]] double level_seconds(const TaskLevel& level, std::span<const EqualWorkers> workers, int cores);

/// Returns the grouping to change to now, or nothing if the present grouping should stay. `seconds[level][grouping]` is
/// the time of a level with a grouping; level 0 runs next. Dynamic programming finds the cheapest plan through all
/// levels, where each change of grouping costs `change_s`. The change is made now if the plan begins with it, or makes
/// it later and loses at most 2 % if it comes now. It must also save more than a tenth of the time until the plan's
/// next change. In a tie the present grouping wins, then the first. O(levels * groupings).
[[nodiscard]] std::optional<std::size_t> change_now(const std::vector<std::vector<double>>& seconds,
                                                    std::size_t present, double change_s);

}  // namespace troupe::scheduler
