/// What became of the tasks that a client has submitted.
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
#include "graph/codelets/handle.hpp"
#include "graph/tasks/failure_log.hpp"
#include "graph/tasks/task_waiter.hpp"
#include "proto/errors.hpp"
#include "proto/mutex.hpp"

namespace troupe::remote {

/// Tasks have numbers from 1 without gaps. A task has *arrived* when the service has reported its end, and is *settled*
/// when its callback has run too: then those who wait for it go on. Thread-safe.
class TaskLedger {
 public:
  using Callback = std::function<void(const TaskOutcome&)>;
  /// A callback that is to be called, and what with; `settle` is called then.
  struct DueCallback {
    Callback callback;
    /// "task 12 'gemm(3,1)' (codelet gemm)".
    std::string task;
    TaskOutcome outcome;
  };
  /// `due` takes callbacks, in the thread of the call that made them due. It must not use the ledger.
  explicit TaskLedger(std::function<void(DueCallback)> due) : due_(std::move(due)) {}

  // Submitters, before the task is sent.
  /// The next task has this number; `weight`: how many tasks it stands for (a run of a recording).
  void submitted(std::uint64_t number, std::uint64_t weight = 1);
  /// `task`: what a failure of the callback calls it.
  void expect_callback(std::uint64_t number, Callback callback, std::string task);

  // Whoever hears the service.
  void succeeded(std::uint64_t first, std::uint64_t count);
  void ended(std::uint64_t number, TaskStatus status, Failure failure);
  /// The callback of a task has returned.
  void settle(std::uint64_t number);
  /// The service will not say anything any more: all that waits fails with this. Tasks that have not arrived count as
  /// cancelled. Only the first call has an effect.
  void lose(const Failure& cause);
  /// Why nothing more will be heard, or null: for whoever tells the program.
  [[nodiscard]] std::shared_ptr<const Failure> lost();
  /// The program has been told of the loss by something here.
  [[nodiscard]] bool loss_told() const;
  /// Every task was settled.
  [[nodiscard]] bool all_settled() const;

  /// A lost task that has not arrived counts as cancelled.
  [[nodiscard]] TaskStatus status(std::uint64_t number) const;
  // Waiting. All fail with the cause where the service is lost.
  /// Until the task is settled; fails with what became of it.
  Result<void> wait(std::uint64_t number);
  /// Until all tasks up to this number are settled; whatever became of them.
  Result<void> wait_up_to(std::uint64_t number);
  /// Until so many tasks, those of runs included, have arrived, or `given_up`, which is looked at again after `wake`.
  Result<void> wait_for_arrived(std::uint64_t count, const std::atomic<bool>& given_up);
  void wake();

  // In tasks, those of runs included.
  /// Tasks that have arrived. Release: what was heard with them.
  [[nodiscard]] std::uint64_t arrived() const { return arrived_.load(std::memory_order_acquire); }
  [[nodiscard]] std::uint64_t submitted_weight() const { return submitted_weight_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t settled_weight() const { return settled_weight_.load(std::memory_order_relaxed); }
  /// Failures of callbacks go here; those of tasks are known too, but the service says their summary.
  [[nodiscard]] graph::FailureLog& callback_failures() { return callback_failures_; }
  /// `visit` is called with the log of tasks and with that of callbacks.
  template <class Visit>
  void visit_failures(const Visit& visit) const {
    visit(failures_);
    visit(callback_failures_);
  }
  /// The program has been told of all failures of tasks so far: by a summary of the service, or by a refusal to give
  /// data, which does not say which failure it comes from.
  void told_all() { failures_.told(nullptr); }

 private:
  /// Numbers that threads wait for: who brings about what none of them wants wakes nobody.
  using Wanted = std::multiset<std::uint64_t>;

  void settle_range(std::uint64_t first, std::uint64_t count) TROUPE_REQUIRES(mutex_);
  /// `outcome`: of each of them.
  void arrive(std::uint64_t first, std::uint64_t count, const TaskOutcome& outcome) TROUPE_REQUIRES(mutex_);
  /// Blocks until `done()`, with the mutex.
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
  /// Of those that stand for more than one.
  std::map<std::uint64_t, std::uint64_t> weights_ TROUPE_GUARDED_BY(mutex_);
  std::shared_ptr<const Failure> lost_ TROUPE_GUARDED_BY(mutex_);
  bool loss_told_ TROUPE_GUARDED_BY(mutex_) = false;
  graph::FailureLog failures_;
  graph::FailureLog callback_failures_;
  /// The number of the newest task. Relaxed: only to see what cannot be.
  std::atomic<std::uint64_t> last_{0};
  std::atomic<std::uint64_t> arrived_{0};
  std::atomic<std::uint64_t> submitted_weight_{0};
  std::atomic<std::uint64_t> settled_weight_{0};
};

}  // namespace troupe::remote
