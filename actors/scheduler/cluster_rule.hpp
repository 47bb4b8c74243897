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

/// So many clusters of so many cores each; single cores are clusters of one.
struct ClusterCount {
  int cores = 1;
  int count = 0;

  bool operator==(const ClusterCount&) const = default;
};
/// All cores, by size of cluster.
using CoreGrouping = std::vector<ClusterCount>;

/// Tasks of one class.
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
  /// The time of one task, by size class; 0 where these workers cannot run it, or nothing is known.
  std::vector<double> seconds;
};

/// Returns the time of a level, in seconds. If it has at most as many tasks as there are cores, that is the time when
/// the last of them ends, where the longest come first and each goes where it ends first. If it has more, it is the
/// work shared by all workers, or the longest task, whichever is more, because such levels overlap with their
/// neighbours. Classes of which nothing is known take no time. O(tasks * kinds of workers), at most O(cores * kinds).
[[nodiscard]] double level_seconds(const TaskLevel& level, std::span<const EqualWorkers> workers, int cores);

/// The grouping to change to now, or nothing where the present one should stay. `seconds`: by level, the next first,
/// then by grouping. The cheapest way through all levels is looked for, where each change costs `change_s` (dynamic
/// programming); it is taken where it begins with a change, and where that saves more than a tenth of the time for
/// which it goes on with the new grouping. Ties: the present one, then the first. O(levels * groupings).
[[nodiscard]] std::optional<std::size_t> change_now(const std::vector<std::vector<double>>& seconds,
                                                    std::size_t present, double change_s);

}  // namespace troupe::scheduler
