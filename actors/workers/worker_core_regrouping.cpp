/// What a worker does while its cores are grouped otherwise.
#include "actors/workers/worker_core.hpp"

namespace troupe::workers {

using graph::Task;

Step WorkerCore::stand_by() {
  Step step;
  step.activate = std::exchange(activation_due_, false);
  step.part = port_.standing.part();
  step.task = next_to_pass_on(step.part);
  if (step.task != nullptr) {
    step.kind = Step::Kind::send_on;
    return step;
  }
  // Whoever woke this worker may have meant anybody who is idle.
  step.wake = sleeper_in_its_place();
  if (running_ == 0 && !asked_victim_.valid()) step.kind = Step::Kind::stand_by;
  return step;
}

Task* WorkerCore::next_to_pass_on(Part part) {
  if (handed_over_ != nullptr) port_.deque.push(std::exchange(handed_over_, nullptr));
  if (passes_on(part)) {
    if (Task* task = take_out_of_hand()) return task;
    return port_.deque.pop_oldest();
  }
  if (options_.activation_queue == nullptr || !drains(part)) return nullptr;
  // What comes from here on was placed by whoever knows.
  if (!withdraws_) withdraws_ = port_.deque.size();
  if (*withdraws_ == 0) return nullptr;
  --*withdraws_;
  return port_.deque.pop_oldest();
}

Task* WorkerCore::take_out_of_hand() {
  if (in_hand_.empty()) return nullptr;
  Task* const task = in_hand_.back().task;
  in_hand_.pop_back();
  crew_.services->withdraw(options_.self, *task);
  if (shares_ != nullptr) shares_->released(options_.self, *task);
  // An answer that came before that must not be taken for one to what is asked later.
  const LockGuard lock(port_.arrived_lock);
  std::erase(port_.arrived, task);
  std::erase_if(port_.refused, [task](const Refused& one) { return one.task == task; });
  return task;
}

}  // namespace troupe::workers
