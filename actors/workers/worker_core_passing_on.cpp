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
  if (in_hand() == 0 && !asked_victim_.valid()) step.kind = Step::Kind::rest;
  return step;
}

Task* WorkerCore::next_to_send_on() {
  if (handed_over_ != nullptr) return std::exchange(handed_over_, nullptr);
  // Claimed tasks are released first. Each claimed task waits for another task in hand. If that other task were sent on
  // first, the claimed task would become ready on another worker.
  for (bool any = true; any;) {
    const auto claim =
        std::ranges::find_if(in_hand_, [](const InHand& one) { return one.acquired && one.task->issued_ahead; });
    any = claim != in_hand_.end();
    if (!any) break;
    Task& task = *claim->task;
    in_hand_.erase(claim);
    crew_.data->withdraw(options_.self, task);
    release_claim(task);
  }
  // Other tasks stay in hand while there are claimed tasks. The memory manager will soon refuse the data that were
  // requested for the claimed tasks.
  const auto found = claimed_ > 0 ? in_hand_.end() : std::ranges::find(in_hand_, true, &InHand::acquired);
  if (found != in_hand_.end()) return take_out_of_hand(found);
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
  if (running_ == 0 && !asked_victim_.valid()) step.kind = Step::Kind::stand_by;
  return step;
}

Task* WorkerCore::next_to_pass_on(RegroupingState state) {
  if (handed_over_ != nullptr) port_.deque.push(std::exchange(handed_over_, nullptr));
  if (passes_on(state)) {
    if (!in_hand_.empty()) return take_out_of_hand(in_hand_.end() - 1);
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
  const auto found = std::ranges::find(in_hand_, wanted, [](const InHand& one) { return one.task->task_id(); });
  // A task that holds commute locks is not given back, because other tasks may wait for these locks. A task that is not
  // ready is not given back, because no policy has placed it.
  if (found == in_hand_.end() || found->task->commute.holds || found->task->issued_ahead) return false;
  port_.wanted_back.store(TaskId(), std::memory_order_relaxed);
  step.task = take_out_of_hand(found);
  step.kind = Step::Kind::send_on;
  return true;
}

Task* WorkerCore::take_out_of_hand(std::vector<InHand>::iterator one) {
  Task* const task = one->task;
  in_hand_.erase(one);
  crew_.data->withdraw(options_.self, *task);
  if (shares_ != nullptr) shares_->released(options_.self, *task);
  // An earlier answer must not be taken for the answer to a later request.
  const LockGuard lock(port_.arrived_lock);
  std::erase(port_.arrived, task);
  std::erase_if(port_.refused, [task](const Refused& one) { return one.task == task; });
  return task;
}

}  // namespace troupe::workers
