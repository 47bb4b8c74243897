/// The outcomes of the tasks that a client has submitted.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "client/remote/ended_numbers.hpp"
#include "graph/tasks/failure_log.hpp"
#include "graph/tasks/task_waiter.hpp"
#include "proto/mutex.hpp"
#include "troupe/errors.hpp"
#include "troupe/handle.hpp"

namespace troupe::remote {

/// The ledger of a client's tasks, which have numbers from 1 without gaps. A task has *arrived* when the service has
/// reported its end. It is *settled* when its callback has also run; then threads that wait for the task continue.
/// Thread-safe.
class TaskLedger {
 public:
  using Callback = std::function<void(const TaskOutcome&)>;
  /// A callback that must be called now, and its arguments. Call `settle` after the callback.
  struct DueCallback {
    Callback callback;
    /// The task's description, such as "task 12 'gemm(3,1)' (codelet gemm)".
    std::string task;
    TaskOutcome outcome;
  };
  /// `due` is called with each due callback, in the thread whose call made the callback due. `due` must not use the
  /// ledger.
  explicit TaskLedger(std::function<void(DueCallback)> due) : due_(std::move(due)) {}

  // Threads that submit call the next functions, before they send the task.
  /// Notes the next task, which has this number. A whole run of a recording has one number, and its `weight` is the
  /// number of its tasks plus 1; the weight of other tasks is 1.
  void submitted(std::uint64_t number, std::uint64_t weight = 1);
  /// Notes a task's callback. If the callback fails, the message names the task by its description, `task`.
  void expect_callback(std::uint64_t number, Callback callback, std::string task);

  // The thread that receives the service's messages calls `succeeded`, `ended` and `lose`.
  void succeeded(std::uint64_t first, std::uint64_t count);
  void ended(std::uint64_t number, TaskStatus status, Failure failure);
  /// Called when the callback of a task has returned.
  void settle(std::uint64_t number);
  /// Called when the service will not report anything any more: all waits for tasks that have not arrived fail with
  /// `cause`, and these tasks count as cancelled, also after their callbacks. Only the first call has an effect.
  void lose(const Failure& cause);
  /// Returns the reason why the service is lost, or null. The caller reports the loss to the program, so it counts as
  /// reported.
  [[nodiscard]] std::shared_ptr<const Failure> lost();
  /// Returns true if a call of this object has reported the loss to the program.
  [[nodiscard]] bool loss_told() const;
  /// Returns true if every task was settled.
  [[nodiscard]] bool all_settled() const;

  /// Returns a task's status. A lost task that has not arrived counts as cancelled.
  [[nodiscard]] TaskStatus status(std::uint64_t number) const;
  // The next functions wait. If the service is lost, they fail with the cause of the loss.
  /// Waits until the task is settled; fails with the task's failure.
  Result<void> wait(std::uint64_t number);
  /// Waits until all tasks up to this number are settled, with any outcome.
  Result<void> wait_up_to(std::uint64_t number);
  /// Waits until this many tasks have arrived, including tasks in runs of recordings, or until `given_up` is set. After
  /// setting `given_up`, call `wake`.
  Result<void> wait_for_arrived(std::uint64_t count, const std::atomic<bool>& given_up);
  void wake();

  // The next functions count tasks, including the tasks in runs of recordings.
  /// Returns how many tasks have arrived. The acquire load makes visible what the service reported with them.
  [[nodiscard]] std::uint64_t arrived() const { return arrived_.load(std::memory_order_acquire); }
  [[nodiscard]] std::uint64_t submitted_weight() const { return submitted_weight_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t settled_weight() const { return settled_weight_.load(std::memory_order_relaxed); }
  /// Returns the log of callback failures. It has no failures of tasks, because the service sends a summary of those.
  [[nodiscard]] graph::FailureLog& callback_failures() { return callback_failures_; }
  /// Calls `visit` with the log of tasks and with the log of callbacks.
  template <class Visit>
  void visit_failures(const Visit& visit) const {
    visit(failures_);
    visit(callback_failures_);
  }
  /// Marks all failures of tasks so far as reported to the program. Called when the program gets a summary from the
  /// service, and when an acquire fails: its message does not say which task's failure made the data invalid.
  void told_all() { failures_.told(nullptr); }

 private:
  /// The numbers for which threads wait. Threads are woken only when one of these numbers is reached.
  using Wanted = std::multiset<std::uint64_t>;

  void settle_range(std::uint64_t first, std::uint64_t count) TROUPE_REQUIRES(mutex_);
  /// Returns true if the service has gone before it reported the task's end.
  [[nodiscard]] bool is_lost(std::uint64_t number) const TROUPE_REQUIRES(mutex_);
  /// Notes the arrival of `count` tasks. `outcome` is the outcome of each of them.
  void arrive(std::uint64_t first, std::uint64_t count, const TaskOutcome& outcome) TROUPE_REQUIRES(mutex_);
  /// Blocks until `done()` returns true; `done` is called with the mutex held.
  template <class Done>
  Result<void> block(UniqueLock& lock, Wanted& wanted, std::uint64_t number, const Done& done) TROUPE_REQUIRES(mutex_);

  const std::function<void(DueCallback)> due_;
  mutable Mutex mutex_;
  std::condition_variable changed_;
  EndedNumbers settled_ TROUPE_GUARDED_BY(mutex_);
  std::multimap<std::uint64_t, graph::TaskWaiter*> waiters_ TROUPE_GUARDED_BY(mutex_);
  Wanted complete_wanted_ TROUPE_GUARDED_BY(mutex_);
  Wanted arrived_wanted_ TROUPE_GUARDED_BY(mutex_);
  struct Expected {
    Callback callback;
    std::string task;
  };
  std::map<std::uint64_t, Expected> callbacks_ TROUPE_GUARDED_BY(mutex_);
  /// The tasks that have arrived and whose callbacks have not returned. If the service is lost, these tasks are not.
  std::set<std::uint64_t> called_back_ TROUPE_GUARDED_BY(mutex_);
  /// The weights of runs of recordings, by number. All other tasks have weight 1.
  std::map<std::uint64_t, std::uint64_t> weights_ TROUPE_GUARDED_BY(mutex_);
  std::shared_ptr<const Failure> lost_ TROUPE_GUARDED_BY(mutex_);
  bool loss_told_ TROUPE_GUARDED_BY(mutex_) = false;
  graph::FailureLog failures_;
  graph::FailureLog callback_failures_;
  /// The number of the newest task. Relaxed: no other data are published with this number.
  std::atomic<std::uint64_t> last_{0};
  std::atomic<std::uint64_t> arrived_{0};
  std::atomic<std::uint64_t> submitted_weight_{0};
  std::atomic<std::uint64_t> settled_weight_{0};
};

}  // namespace troupe::remote
