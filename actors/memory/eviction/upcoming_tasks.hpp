/// Tasks that were submitted, on their way to the memory manager.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "graph/submission_observer.hpp"
#include "proto/memory.hpp"
#include "proto/mutex.hpp"

namespace troupe::memory {

/// Filled by whoever submits, emptied by the memory manager's eviction policy. Thread-safe. It costs a submission about
/// 0.1 us.
class UpcomingTasks final : public graph::SubmissionObserver {
 public:
  struct Batch {
    struct Submitted {
      TaskId task;
      /// Its handles, which follow those of the tasks before it.
      std::uint32_t handles = 0;
    };
    /// In the order of submission.
    std::vector<Submitted> tasks;
    std::vector<HandleId> handles;
    /// Tasks that have ended without ever having their data.
    std::vector<TaskId> dropped;
  };

  void submitted(const graph::Task& task) noexcept override;
  /// A task that is going to use these, after all that were added before. Ids rise.
  void add(TaskId task, std::span<const Use> uses);
  /// The task will not ask for its data: it was cancelled, say.
  void dropped(TaskId task);

  /// All that came since the last time, in place of what `batch` held. False, and cheap, if that is nothing.
  [[nodiscard]] bool take(Batch& batch);

 private:
  std::atomic<bool> any_{false};
  Mutex mutex_;
  Batch batch_ TROUPE_GUARDED_BY(mutex_);
  /// Of the task that is being submitted: there is one at a time.
  std::vector<Use> uses_;
};

}  // namespace troupe::memory
