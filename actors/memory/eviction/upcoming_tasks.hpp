/// Submitted tasks that the memory manager has not seen yet.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "graph/submission_observer.hpp"
#include "graph/tasks/task_event.hpp"
#include "proto/memory.hpp"
#include "proto/mutex.hpp"

namespace troupe::memory {

/// Submitting threads add tasks, and the memory manager's eviction policy takes the tasks. Thread-safe. The submission
/// of a task takes about 0.1 us longer because of this.
class UpcomingTasks final : public graph::SubmissionObserver, public graph::TaskObserver {
 public:
  struct Batch {
    struct Submitted {
      TaskId task;
      /// The number of the task's handles. In `Batch::handles` these handles follow the handles of all earlier tasks.
      std::uint32_t handles = 0;
    };
    /// The tasks in the order of submission.
    std::vector<Submitted> tasks;
    std::vector<HandleId> handles;
    /// Tasks that have ended without ever having acquired their data.
    std::vector<TaskId> dropped;
  };

  void submitted(const graph::Task& task) noexcept override;
  /// Adds a task that is going to use these handles, after all tasks that were added before. Each id must be larger
  /// than the id before.
  void add(TaskId task, std::span<const Use> uses);
  /// If the event says that a task was dropped, notes the task: a dropped task will not request its data.
  void happened(const graph::TaskEvent& event) override {
    if (event.kind == graph::TaskEvent::Kind::dropped) dropped(event.task);
  }
  void dropped(TaskId task);

  /// Replaces the content of `batch` with everything that came since the last call. Returns false, cheaply, if nothing
  /// came.
  [[nodiscard]] bool take(Batch& batch);

 private:
  std::atomic<bool> any_{false};
  Mutex mutex_;
  Batch batch_ TROUPE_GUARDED_BY(mutex_);
  /// The uses of the task that is being submitted; tasks are submitted one at a time.
  std::vector<Use> uses_;
};

}  // namespace troupe::memory
