/// When clusters change that are to change at certain points of a run.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>
#include <vector>

#include "platform/machine/cluster_stages.hpp"

namespace troupe::actors {

/// Counts tasks until the next stage. Thread-safe.
class StageCounter {
 public:
  /// The first stage has begun.
  explicit StageCounter(std::vector<platform::ClusterStage> stages) : stages_(std::move(stages)) {}

  /// A task has ended. The stage that begins, for one of several callers; else null.
  [[nodiscard]] const platform::ClusterStage* task_ended() {
    const std::uint64_t ended = ended_.fetch_add(1, std::memory_order_relaxed) + 1;
    // Each count is one caller's, and no two stages begin at the same.
    for (std::size_t i = 1; i < stages_.size(); ++i) {
      if (stages_[i].after == ended) return &stages_[i];
    }
    return nullptr;
  }

 private:
  const std::vector<platform::ClusterStage> stages_;
  std::atomic<std::uint64_t> ended_{0};
};

}  // namespace troupe::actors
