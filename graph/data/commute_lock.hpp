/// Mutual exclusion of tasks that commute on data.
#pragma once

#include <span>

#include "graph/tasks/task.hpp"
#include "proto/mutex.hpp"
#include "proto/spin_lock.hpp"

namespace troupe::graph {

/// The lock of one record. The lock knows the commuting task that holds it, and the tasks that wait for it.
class CommuteLock {
 public:
  /// Takes the lock and returns true, or puts `task` into the lock's queue (parks it) and returns false.
  bool acquire_or_park(Task* task) noexcept;
  /// Releases the lock and moves the oldest parked task to `retry`. That task must try again to take all its locks. If
  /// it does not take this lock, it lets the next parked task try (`pass_on`).
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
/// it waits for its data and while it runs, so its worker prefers it to other tasks (`TakenTasks::take_next`).
/// Returns true if the task holds the locks. If the result is false, the task is parked and no longer belongs to the
/// caller; a later call of `release_commute` appends the task to its list `retry`. Other tasks that were woken for a
/// lock are appended to `retry`.
///
/// A release wakes one task, not all, so that n commuting tasks cost n wakes. No wake is lost: a woken task takes the
/// lock for which it was woken, and wakes the next task when it releases the lock; or it wakes the next task at once.
bool acquire_commute(Task& task, TaskList& retry);

/// Releases the locks that `acquire_commute` took.
void release_commute(Task& task, TaskList& retry);

/// Called for a cancelled task, which takes no locks. If it was woken for a lock, wakes the next task in its place.
void renounce_commute(Task& task, TaskList& retry);

}  // namespace troupe::graph
