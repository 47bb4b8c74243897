/// Passing on: gives away tasks that other workers are to run, because this worker's device is lost, its cores are
/// regrouped, or the scheduler wants a task back.
#include <algorithm>

#include "actors/workers/worker_core.hpp"

namespace troupe::workers {

using graph::Task;

Step WorkerCore::send_on() {
  Step step;
  step.activate = std::exchange(activation_due_, false);
  step.task = next_to_send_on();
  if (step.task != nullptr) {
    step.kind = Step::Kind::send_on;
    return step;
  }
  // This worker may have been woken for work that it must not do now, so another worker is woken for that work.
  step.wake = sleeper_in_its_place();
  if (in_hand() == 0 && !search_.awaits_answer()) step.kind = Step::Kind::rest;
  return step;
}

Task* WorkerCore::next_to_send_on() {
  if (handed_over_ != nullptr) return std::exchange(handed_over_, nullptr);
  // Claimed tasks are released first. Each claimed task waits for another task in hand. If that other task were sent on
  // first, the claimed task would become ready on another worker.
  const auto is_claimed = [](const TakenTask& one) { return one.acquired && one.task->issued_ahead; };
  while (const auto claim = taken_.take_first(is_claimed)) {
    crew_.data->withdraw(options_.self, *claim->task);
    release_claim(*claim->task);
  }
  // Other tasks stay in hand while there are claimed tasks. The memory manager will soon refuse the data that were
  // requested for the claimed tasks.
  if (!claims_.any()) {
    if (const auto found = taken_.take_first(&TakenTask::acquired)) return let_go(*found->task);
  }
  if (Task* task = port_.deque.pop_oldest()) return task;
  if (TaskDeque* orphans = crew_.orphans()) return crew_.restricted.take(*orphans);
  if (crew_.alive() != 0) return nullptr;
  crew_.entry.drain();
  return crew_.entry.pop_oldest();
}

bool WorkerCore::has_any_to_send_on() const {
  return port_.deque.size() > 0 || crew_.orphans() != nullptr || (crew_.alive() == 0 && crew_.entry.size() > 0);
}

Step WorkerCore::stand_by() {
  Step step;
  step.activate = std::exchange(activation_due_, false);
  step.state = port_.standing.state();
  step.task = next_to_pass_on(step.state);
  if (step.task != nullptr) {
    step.kind = Step::Kind::send_on;
    return step;
  }
  // This worker may have been woken for work that it must not do now, so another worker is woken for that work.
  step.wake = sleeper_in_its_place();
  if (running_ == 0 && !search_.awaits_answer()) step.kind = Step::Kind::stand_by;
  return step;
}

Task* WorkerCore::next_to_pass_on(RegroupingState state) {
  if (handed_over_ != nullptr) port_.deque.push(std::exchange(handed_over_, nullptr));
  if (passes_on(state)) {
    if (const auto last = taken_.take_last()) return let_go(*last->task);
    return port_.deque.pop_oldest();
  }
  if (options_.activation_queue == nullptr || !drains(state)) return nullptr;
  // Tasks that arrive from here on were placed with knowledge of the new grouping.
  if (!withdraws_) withdraws_ = port_.deque.size();
  if (*withdraws_ == 0) return nullptr;
  --*withdraws_;
  return port_.deque.pop_oldest();
}

bool WorkerCore::gives_back(Step& step) {
  const TaskId wanted = port_.wanted_back.load(std::memory_order_relaxed);
  if (!wanted.valid()) return false;
  // A task that holds commute locks is not given back, because other tasks may wait for these locks. A task that is not
  // ready is not given back, because no policy has placed it.
  const auto found = taken_.take_first([wanted](const TakenTask& one) {
    return one.task->task_id() == wanted && !one.task->commute.holds && !one.task->issued_ahead;
  });
  if (!found) return false;
  port_.wanted_back.store(TaskId(), std::memory_order_relaxed);
  step.task = let_go(*found->task);
  step.kind = Step::Kind::send_on;
  return true;
}

Task* WorkerCore::let_go(Task& task) {
  crew_.data->withdraw(options_.self, task);
  if (shares_ != nullptr) shares_->released(options_.self, task);
  // An earlier answer must not be taken for the answer to a later request.
  const LockGuard lock(port_.arrived_lock);
  std::erase(port_.arrived, &task);
  std::erase_if(port_.refused, [&task](const Refused& one) { return one.task == &task; });
  return &task;
}

}  // namespace troupe::workers
