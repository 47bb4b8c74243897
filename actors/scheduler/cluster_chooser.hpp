/// Decides, while tasks run, when to regroup the cores, and into which clusters.
#pragma once

#include <atomic>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "actors/scheduler/cluster_rule.hpp"
#include "actors/scheduler/scheduler_core.hpp"

namespace troupe::scheduler {

/// The chooser looks, from time to time, at the tasks that were submitted and have not ended, and divides them into
/// levels: the first level has the tasks that wait for no other task, the second level the tasks that wait only for
/// tasks of the first level, and so on. The learned times give the time of each level with each grouping of the cores.
/// For numbers of cores that were not measured, times follow Amdahl's law or, if only one number was measured, an
/// assumed speed-up. The assumed speed-up is large enough that clusters are tried when cores would be idle, but not
/// when there are tasks for all cores. `change_now` makes the decision.
///
/// If later tasks are unknown (a service's clients submit them, or a recording is run again), only the ready tasks
/// count. Then past savings have to predict future savings: the time that another grouping would have saved so far is
/// added up, and the cores are regrouped when this sum exceeds the cost of a change.
///
/// The chooser is called by the thread that decides, under the scheduler's lock. One look examines at most 4096 tasks
/// in 256 levels. Its duration is estimated, and the next look comes after fifty times that duration.
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
  /// Returns the index in `Options::groupings` of the grouping to change to. Returns nothing if the present grouping
  /// should stay, or if the next look is not due. `tasks` are ready tasks that `core` does not know yet.
  [[nodiscard]] std::optional<std::size_t> look(const SchedulerCore& core, std::span<const ReadyTask> tasks,
                                                TimeStamp now);

 private:
  [[nodiscard]] std::optional<std::size_t> choose(const SchedulerCore& core, std::span<const ReadyTask> ready,
                                                  TimeStamp now);
  /// Adds the time that other groupings would have saved since the last look.
  void count_saved(TimeStamp now);
  /// Returns the index of the grouping to change to, by the savings so far, or nothing. `level_s` holds the time of the
  /// ready tasks with each grouping, the present grouping last.
  [[nodiscard]] std::optional<std::size_t> choose_by_past(const std::vector<double>& level_s, double change_s);

  const Options options_;
  TimeStamp last_{};
  /// For each grouping, the fraction of the time that the last look predicted it would save from then on. Empty if the
  /// last look predicted nothing.
  std::vector<double> saving_;
  /// The time, in seconds, of the work that was ready at the last look; 0 if no task was ready, or if that look also
  /// knew tasks that were not ready yet.
  double seen_s_ = 0;
  /// The `TimeStamp` of the next look. Relaxed accesses suffice because it publishes no other data: a thread that reads
  /// an old value looks once too often, or a little late.
  std::atomic<TimeStamp::rep> next_{0};
  /// For each grouping, the time that it would have saved so far, in seconds.
  std::vector<double> saved_s_;
};

}  // namespace troupe::scheduler
