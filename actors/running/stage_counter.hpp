/// Stage counter: finds the points of a run at which the clusters have to change.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>
#include <vector>

#include "platform/machine/cluster_stages.hpp"
#include "proto/mutex.hpp"

namespace troupe::actors {

/// Counts the tasks that have ended, to find the beginning of the next stage. Thread-safe.
class StageCounter {
 public:
  /// The counter starts in the first stage.
  explicit StageCounter(std::vector<platform::ClusterStage> stages) : stages_(std::move(stages)) {}

  /// Called when a task has ended. Calls `begin(stage)` if a stage begins. These calls never overlap, and a later stage
  /// is never followed by an earlier stage.
  template <class Begin>
  void task_ended(Begin&& begin) {
    const std::uint64_t ended = ended_.fetch_add(1, std::memory_order_relaxed) + 1;
    // Each value of the count belongs to one caller, and no two stages begin at the same value.
    for (std::size_t i = 1; i < stages_.size(); ++i) {
      if (stages_[i].after != ended) continue;
      const LockGuard lock(mutex_);
      if (i > begun_) begin(stages_[begun_ = i]);
    }
  }

 private:
  const std::vector<platform::ClusterStage> stages_;
  std::atomic<std::uint64_t> ended_{0};
  Mutex mutex_;
  std::size_t begun_ TROUPE_GUARDED_BY(mutex_) = 0;
};

}  // namespace troupe::actors
