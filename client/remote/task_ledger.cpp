#include "client/remote/task_ledger.hpp"

#include <utility>

#include "graph/tasks/calling_thread.hpp"
#include "graph/tasks/interruptible_wait.hpp"
#include "graph/tasks/uncancellable.hpp"

namespace troupe::remote {

void TaskLedger::submitted(std::uint64_t number, std::uint64_t weight) {
  last_.store(number, std::memory_order_relaxed);
  // Only one thread submits at a time, so load and store need not be one operation.
  submitted_weight_.store(submitted_weight_.load(std::memory_order_relaxed) + weight, std::memory_order_relaxed);
  if (weight == 1) return;
  const LockGuard lock(mutex_);
  weights_.emplace(number, weight);
}

void TaskLedger::expect_callback(std::uint64_t number, Callback callback, std::string task) {
  const LockGuard lock(mutex_);
  callbacks_.emplace(number, Expected{std::move(callback), std::move(task)});
}

void TaskLedger::succeeded(std::uint64_t first, std::uint64_t count) {
  const LockGuard lock(mutex_);
  const std::uint64_t last = last_.load(std::memory_order_relaxed);
  if (lost_ != nullptr || first == 0 || first > last || count > last - first + 1) return;
  arrive(first, count, {});
}

void TaskLedger::ended(std::uint64_t number, TaskStatus status, Failure failure) {
  const LockGuard lock(mutex_);
  if (lost_ != nullptr || number == 0 || number > last_.load(std::memory_order_relaxed)) return;
  TaskOutcome outcome{TaskId(number), status, {}};
  if (status != TaskStatus::succeeded) {
    outcome.message = failure.message;
    outcome.code = failure.code;
    const auto cause = std::make_shared<const Failure>(std::move(failure));
    // The service does not send the root cause of a cancellation.
    const bool failed = status == TaskStatus::failed;
    failures_.task_ended(TaskId(number), status, cause, failed ? cause : nullptr);
    if (callbacks_.contains(number)) failures_.told(failed ? cause : nullptr);
  }
  arrive(number, 1, outcome);
}

void TaskLedger::arrive(std::uint64_t first, std::uint64_t count, const TaskOutcome& outcome) {
  const std::uint64_t end = first + count;
  std::uint64_t weight = count;
  for (auto run = weights_.lower_bound(first); run != weights_.end() && run->first < end; ++run) {
    weight += run->second - 1;
  }
  // Release: pairs with the acquire load in `arrived`.
  const std::uint64_t arrived = arrived_.fetch_add(weight, std::memory_order_release) + weight;
  auto callback = callbacks_.lower_bound(first);
  while (callback != callbacks_.end() && callback->first < end) {
    settle_range(first, callback->first - first);
    first = callback->first + 1;
    DueCallback due{std::move(callback->second.callback), std::move(callback->second.task), outcome};
    due.outcome.task = TaskId(callback->first);
    called_back_.insert(callback->first);
    due_(std::move(due));
    callback = callbacks_.erase(callback);
  }
  settle_range(first, end - first);
  if (!arrived_wanted_.empty() && *arrived_wanted_.begin() <= arrived) changed_.notify_all();
}

void TaskLedger::settle_range(std::uint64_t first, std::uint64_t count) {
  if (count == 0) return;
  settled_.add(first, count);
  std::uint64_t weight = count;
  for (auto run = weights_.lower_bound(first); run != weights_.end() && run->first < first + count;) {
    weight += run->second - 1;
    run = weights_.erase(run);
  }
  settled_weight_.fetch_add(weight, std::memory_order_relaxed);
  for (auto waiter = waiters_.lower_bound(first); waiter != waiters_.end() && waiter->first < first + count; ++waiter) {
    waiter->second->signal();
  }
  if (!complete_wanted_.empty() && *complete_wanted_.begin() <= settled_.complete()) changed_.notify_all();
}

void TaskLedger::settle(std::uint64_t number) {
  const LockGuard lock(mutex_);
  // The callback of a task that was lost has run, too, but such a task has not ended.
  if (called_back_.erase(number) != 0) settle_range(number, 1);
}

void TaskLedger::lose(const Failure& cause) {
  const LockGuard lock(mutex_);
  if (lost_ != nullptr) return;
  lost_ = std::make_shared<const Failure>(cause);
  loss_told_ = !callbacks_.empty();
  for (auto& [number, callback] : callbacks_) {
    due_({std::move(callback.callback),
          std::move(callback.task),
          {TaskId(number), TaskStatus::cancelled, cause.message, cause.code}});
  }
  callbacks_.clear();
  for (const auto& [number, waiter] : waiters_) {
    if (is_lost(number)) waiter->signal();
  }
  changed_.notify_all();
}

std::shared_ptr<const Failure> TaskLedger::lost() {
  const LockGuard lock(mutex_);
  loss_told_ = loss_told_ || lost_ != nullptr;
  return lost_;
}

bool TaskLedger::loss_told() const {
  const LockGuard lock(mutex_);
  return loss_told_;
}

bool TaskLedger::all_settled() const {
  const LockGuard lock(mutex_);
  return settled_.complete() >= last_.load(std::memory_order_relaxed);
}

bool TaskLedger::is_lost(std::uint64_t number) const {
  return lost_ != nullptr && !settled_.contains(number) && !called_back_.contains(number);
}

TaskStatus TaskLedger::status(std::uint64_t number) const {
  {
    const LockGuard lock(mutex_);
    if (!settled_.contains(number)) return is_lost(number) ? TaskStatus::cancelled : TaskStatus::pending;
  }
  return failures_.status_of(TaskId(number));
}

Result<void> TaskLedger::wait(std::uint64_t number) {
  const graph::Uncancellable uncancellable;
  {
    UniqueLock lock(mutex_);
    if (!settled_.contains(number) && !is_lost(number)) {
      graph::TaskWaiter waiter;
      const auto place = waiters_.emplace(number, &waiter);
      lock.unlock();
      waiter.wait();
      lock.lock();
      waiters_.erase(place);
    }
    if (!settled_.contains(number)) {
      loss_told_ = true;
      return *lost_;
    }
  }
  if (failures_.status_of(TaskId(number)) == TaskStatus::succeeded) return {};
  return failures_.failure_of(TaskId(number));
}

template <class Done>
Result<void> TaskLedger::block(UniqueLock& lock, Wanted& wanted, std::uint64_t number, const Done& done) {
  const graph::Uncancellable uncancellable;
  const auto place = wanted.insert(number);
  const auto over = [&]() TROUPE_REQUIRES(mutex_) { return done() || lost_ != nullptr; };
  const bool waited = graph::wait_until(lock, changed_, over, graph::WaitInterrupt::here());
  wanted.erase(place);
  if (!waited) return graph::gave_up_waiting();
  if (done()) return {};
  loss_told_ = true;
  return *lost_;
}

Result<void> TaskLedger::wait_up_to(std::uint64_t number) {
  UniqueLock lock(mutex_);
  return block(lock, complete_wanted_, number, [&]() TROUPE_REQUIRES(mutex_) { return settled_.complete() >= number; });
}

Result<void> TaskLedger::wait_for_arrived(std::uint64_t count, const std::atomic<bool>& given_up) {
  UniqueLock lock(mutex_);
  return block(lock, arrived_wanted_, count, [&] {
    return arrived_.load(std::memory_order_relaxed) >= count || given_up.load(std::memory_order_relaxed);
  });
}

void TaskLedger::wake() {
  const LockGuard lock(mutex_);
  changed_.notify_all();
}

}  // namespace troupe::remote
