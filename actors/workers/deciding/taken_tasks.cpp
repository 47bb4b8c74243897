#include "actors/workers/deciding/taken_tasks.hpp"

namespace troupe::workers {

using graph::Task;

void TakenTasks::acquired(const Task& task) {
  const auto found = std::ranges::find(tasks_, &task, &TakenTask::task);
  if (found == tasks_.end()) return;
  found->acquired = true;
  std::rotate(found, found + 1, tasks_.end());
}

std::optional<TakenTask> TakenTasks::take_waiting(const Task& task) {
  return take_first([&task](const TakenTask& one) { return one.task == &task && !one.acquired; });
}

bool TakenTasks::comes_before(const Task& one, const Task& other) const {
  // Tasks that hold commute locks come first: tasks that are more urgent than any here may wait for these locks.
  if (one.commute.holds || other.commute.holds) return one.commute.holds && !other.commute.holds;
  return urgent_first_ && one.priority > other.priority;
}

std::optional<TakenTask> TakenTasks::take(std::vector<TakenTask>::iterator found) {
  if (found == tasks_.end()) return std::nullopt;
  const TakenTask taken = *found;
  tasks_.erase(found);
  return taken;
}

}  // namespace troupe::workers
