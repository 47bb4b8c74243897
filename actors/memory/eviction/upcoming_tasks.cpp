#include "actors/memory/eviction/upcoming_tasks.hpp"

#include <utility>

#include "graph/data/working_set.hpp"

namespace troupe::memory {

void UpcomingTasks::submitted(const graph::Task& task) noexcept {
  uses_.clear();
  graph::append_working_set(task, uses_);
  add(task.task_id(), uses_);
}

void UpcomingTasks::add(TaskId task, std::span<const Use> uses) {
  const LockGuard lock(mutex_);
  for (const Use& use : uses) batch_.handles.push_back(use.handle);
  batch_.tasks.push_back({task, static_cast<std::uint32_t>(uses.size())});
  // Release: pairs with the load in `take`. If a call of `take` misses this store, a later call sees the store in time,
  // because a task asks for its data only after its submission.
  any_.store(true, std::memory_order_release);
}

void UpcomingTasks::dropped(TaskId task) {
  const LockGuard lock(mutex_);
  batch_.dropped.push_back(task);
  any_.store(true, std::memory_order_release);
}

bool UpcomingTasks::take(Batch& batch) {
  if (!any_.load(std::memory_order_acquire)) return false;
  batch.tasks.clear();
  batch.handles.clear();
  batch.dropped.clear();
  const LockGuard lock(mutex_);
  std::swap(batch, batch_);
  any_.store(false, std::memory_order_relaxed);
  return true;
}

}  // namespace troupe::memory
