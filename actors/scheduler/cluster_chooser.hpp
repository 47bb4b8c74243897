/// When cores are to be grouped otherwise while tasks run, and how.
#pragma once

#include <atomic>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "actors/scheduler/cluster_rule.hpp"
#include "actors/scheduler/scheduler_core.hpp"

namespace troupe::scheduler {

/// Looks, now and then, at the tasks that have been submitted and have not ended, in levels: those that wait for none
/// of the others, those that wait for these, and so on. How long each level takes with each grouping follows from the
/// times that are learned, on numbers of cores that were not measured by Amdahl's law or, where nothing but one number
/// was measured, from an assumed speed-up: large enough for clusters to be tried where cores would be idle, and too
/// small where there are tasks for all. `change_now` decides.
///
/// Where nobody knows what will be submitted (a service's clients; recordings that are run again), there is the level
/// that is ready alone. Then the time is added up that another grouping would have saved so far, as the past says how
/// the future will be; a change comes when that has reached what a change costs.
///
/// Used by whoever decides, under the scheduler's lock. A look takes in at most 4096 tasks in 256 levels; how long it
/// takes is estimated, and the next comes fifty times as long after it.
class ClusterChooser {
 public:
  struct Options {
    /// The groupings to choose from; each covers all cores.
    std::vector<CoreGrouping> groupings;
    /// `SubmittedTasks` knows what is left.
    bool looks_ahead = true;
  };
  explicit ClusterChooser(Options options);

  /// It is time for the next look. Any thread.
  [[nodiscard]] bool due(TimeStamp now) const { return now.count() >= next_.load(std::memory_order_relaxed); }
  /// The number of the grouping to change to, or nothing; always nothing where no look is due. `tasks`: ready, and not
  /// known to the core yet.
  [[nodiscard]] std::optional<std::size_t> look(const SchedulerCore& core, std::span<const ReadyTask> tasks,
                                                TimeStamp now);

 private:
  [[nodiscard]] std::optional<std::size_t> choose(const SchedulerCore& core, std::span<const ReadyTask> ready,
                                                  TimeStamp now);
  /// Adds what other groupings would have saved since the last look.
  void count_saved(TimeStamp now);
  /// `level_s`: by grouping, the present one last.
  [[nodiscard]] std::optional<std::size_t> choose_by_past(const std::vector<double>& level_s, double change_s);

  const Options options_;
  TimeStamp last_{};
  /// For each grouping, the part of the time that it has saved since the last look, as predicted by that look. Empty:
  /// that look predicted nothing.
  std::vector<double> saving_;
  /// The time that the work took that was ready at the last look, in seconds; 0: nothing was ready, or the look was
  /// ahead.
  double seen_s_ = 0;
  /// A `TimeStamp`. Relaxed: who sees an old one looks once too often, or a little late.
  std::atomic<TimeStamp::rep> next_{0};
  /// For each grouping, the time that it would have saved, in seconds.
  std::vector<double> saved_s_;
};

}  // namespace troupe::scheduler
