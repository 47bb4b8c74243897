/// Decides, while tasks run, when the cores are grouped into other clusters, and which clusters these are.
#pragma once

#include <atomic>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "actors/scheduler/cluster_rule.hpp"
#include "actors/scheduler/scheduler_core.hpp"

namespace troupe::scheduler {

/// Looks, from time to time, at the tasks that have been submitted and have not ended, in levels: tasks that wait for
/// none of the others, tasks that wait for these, and so on. The time of each level with each grouping follows from the
/// learned times. For numbers of cores that were not measured, times follow Amdahl's law or, if only one number was
/// measured, an assumed speed-up, large enough that clusters are tried when cores would be idle, but not when there are
/// tasks for all cores. `change_now` decides.
///
/// If nobody knows what will be submitted (by a service's clients, or by recordings that are run again), only the level
/// that is ready is known. Then the past has to predict the future: the time that another grouping would have saved so
/// far is added up, and a change comes when this sum exceeds what a change costs.
///
/// Called under the scheduler's lock, by the thread that decides. A look examines at most 4096 tasks in 256 levels. Its
/// duration is estimated, and the next look comes after fifty times that duration.
class ClusterChooser {
 public:
  struct Options {
    /// The groupings to choose from; each covers all cores.
    std::vector<CoreGrouping> groupings;
    /// True if `SubmittedTasks` knows the tasks that have not ended.
    bool looks_ahead = true;
  };
  explicit ClusterChooser(Options options);

  /// Returns true if it is time for the next look. May be called from any thread.
  [[nodiscard]] bool due(TimeStamp now) const { return now.count() >= next_.load(std::memory_order_relaxed); }
  /// Returns the number of the grouping to change to; nothing if the present one should stay, or if no look is due.
  /// `tasks` are ready, and `core` does not know them yet.
  [[nodiscard]] std::optional<std::size_t> look(const SchedulerCore& core, std::span<const ReadyTask> tasks,
                                                TimeStamp now);

 private:
  [[nodiscard]] std::optional<std::size_t> choose(const SchedulerCore& core, std::span<const ReadyTask> ready,
                                                  TimeStamp now);
  /// Adds the time that other groupings would have saved since the last look.
  void count_saved(TimeStamp now);
  /// `level_s` holds the time of the ready tasks with each grouping, the present one last.
  [[nodiscard]] std::optional<std::size_t> choose_by_past(const std::vector<double>& level_s, double change_s);

  const Options options_;
  TimeStamp last_{};
  /// For each grouping, the part of the time that it would save from the last look on, as that look predicted. Empty if
  /// that look predicted nothing.
  std::vector<double> saving_;
  /// The time, in seconds, of the work that was ready at the last look; 0 if nothing was ready, or if that look knew
  /// later tasks, too.
  double seen_s_ = 0;
  /// The `TimeStamp` of the next look. Relaxed, as it publishes nothing else: a thread that reads an old value looks
  /// once too often, or a little late.
  std::atomic<TimeStamp::rep> next_{0};
  /// For each grouping, the time that it would have saved, in seconds.
  std::vector<double> saved_s_;
};

}  // namespace troupe::scheduler
