/// Mutual exclusion of tasks that commute on data.
#pragma once

#include <span>

#include "graph/tasks/task.hpp"
#include "proto/mutex.hpp"
#include "proto/spin_lock.hpp"

namespace troupe::graph {

/// Whether a commuting task runs on one record, and who waits for it to end.
class CommuteLock {
 public:
  /// Takes the lock, or parks `task` in its queue and returns false.
  bool acquire_or_park(Task* task) noexcept;
  /// Gives the lock back and moves the oldest parked task to `retry`: it must try again all its locks, and passes
  /// the turn on (`pass_on`) if it does not come to take this one.
  void release(DataRecord& self, TaskList& retry) noexcept;
  /// Moves the oldest parked task to `retry` if the lock is free: its turn came and was not used.
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
  const Task* holder_ TROUPE_GUARDED_BY(mutex_) = nullptr;  // null: free
  TaskList waiting_ TROUPE_GUARDED_BY(mutex_);
};

/// Takes the commute locks of all the task's records (those below a handle with parts included), in the order of
/// their ids, all or nothing, so no two tasks wait for one another: a task holds locks while it runs, and before that
/// while it waits for its data and goes before its worker's other tasks (`WorkerCore::next_acquired`). True: the task
/// holds them. False: it is parked, has left its caller's hands and will come back through some `release_commute`.
/// Other tasks whose turn has come are appended to `retry`.
///
/// A release wakes one task, not all, so that n commuting tasks cost n wakes. No turn is lost: a woken task either
/// takes the lock that it was woken for, and its release wakes the next, or passes the turn on.
bool acquire_commute(Task& task, TaskList& retry);

/// Gives back what `acquire_commute` took.
void release_commute(Task& task, TaskList& retry);

/// The task will not take the lock that it was woken for, because it was cancelled.
void renounce_commute(Task& task, TaskList& retry);

}  // namespace troupe::graph
