/// Mutual exclusion of tasks that commute on data.
#pragma once

#include <span>

#include "graph/tasks/task.hpp"
#include "proto/mutex.hpp"
#include "proto/spin_lock.hpp"

namespace troupe::graph {

/// The lock of one record. It knows the commuting task that holds it, and the tasks that wait for it.
class CommuteLock {
 public:
  /// Takes the lock, or parks `task` in its queue and returns false.
  bool acquire_or_park(Task* task) noexcept;
  /// Releases the lock and moves the oldest parked task to `retry`. That task must try again to take all its locks; if
  /// it does not take this lock, it passes its turn on (`pass_on`).
  void release(DataRecord& self, TaskList& retry) noexcept;
  /// Moves the oldest parked task to `retry` if the lock is free. Called if the task that was woken for the lock did
  /// not take it.
  void pass_on(DataRecord& self, TaskList& retry) noexcept;
  /// Calls `holder(task or null)`, then `waiting(task)` for each parked task, under the lock.
  template <class Holder, class Waiting>
  void inspect(const Holder& holder, const Waiting& waiting) const {
    const LockGuard lock(mutex_);
    holder(holder_);
    for (const Task* task = waiting_.front(); task != nullptr; task = task->next) waiting(task);
  }

 private:
  void wake_oldest(DataRecord& self, TaskList& retry) noexcept TROUPE_REQUIRES(mutex_);

  mutable SpinLock mutex_;
  const Task* holder_ TROUPE_GUARDED_BY(mutex_) = nullptr;  // null if the lock is free
  TaskList waiting_ TROUPE_GUARDED_BY(mutex_);
};

/// Takes the commute locks of all the task's records (including the parts of its handles), in the order of their ids.
/// The function takes either all locks or none, so that no two tasks wait for each other. A task holds its locks while
/// it waits for its data and while it runs; its worker prefers it to other tasks (`WorkerCore::next_acquired`). Returns
/// true if the task holds the locks. If it returns false, the task is parked, no longer belongs to the caller, and
/// comes back from a later `release_commute`. Appends other tasks that were woken for a lock to `retry`.
///
/// A release wakes one task, not all, so that n commuting tasks cost n wakes. No turn is lost: a woken task either
/// takes the lock that it was woken for, and its release wakes the next, or passes the turn on.
bool acquire_commute(Task& task, TaskList& retry);

/// Releases the locks that `acquire_commute` took.
void release_commute(Task& task, TaskList& retry);

/// Called for a task that was woken for a lock and will not take it, because it was cancelled.
void renounce_commute(Task& task, TaskList& retry);

}  // namespace troupe::graph
