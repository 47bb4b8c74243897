#include "actors/workers/task_deque.hpp"

#include <algorithm>
#include <mutex>

namespace troupe::workers {

using graph::Task;
using graph::TaskList;

void TaskDeque::insert(Task* task) {
  auto level = levels_.end();
  if (!levels_.empty() && levels_.back().priority >= task->priority) {
    level =
        std::lower_bound(levels_.begin(), levels_.end(), task->priority,
                         [](const Level& candidate, std::int32_t priority) { return candidate.priority < priority; });
  }
  task->next = nullptr;
  task->previous = nullptr;
  if (level == levels_.end() || level->priority != task->priority) {
    levels_.insert(level, {task->priority, task, task});
    return;
  }
  task->previous = level->newest;
  level->newest->next = task;
  level->newest = task;
}

Task* TaskDeque::remove_newest() {
  Level& level = levels_.back();
  Task* task = level.newest;
  level.newest = task->previous;
  if (level.newest == nullptr) {
    levels_.pop_back();
  } else {
    level.newest->next = nullptr;
  }
  return task;
}

Task* TaskDeque::remove_oldest() {
  Level& level = levels_.back();
  Task* task = level.oldest;
  level.oldest = task->next;
  if (level.oldest == nullptr) {
    levels_.pop_back();
  } else {
    level.oldest->previous = nullptr;
  }
  return task;
}

void TaskDeque::publish(std::size_t size) {
  top_.store(levels_.empty() ? kEmpty : levels_.back().priority, std::memory_order_relaxed);
  size_.store(size, std::memory_order_seq_cst);
}

void TaskDeque::push(Task* task) {
  const std::lock_guard lock(mutex_);
  insert(task);
  publish(size_.load(std::memory_order_relaxed) + 1);
}

void TaskDeque::push(TaskList& tasks) {
  const std::lock_guard lock(mutex_);
  std::size_t size = size_.load(std::memory_order_relaxed);
  for (; !tasks.empty(); ++size) insert(tasks.pop_front());
  publish(size);
}

Task* TaskDeque::pop_newest() {
  if (size_.load(std::memory_order_relaxed) == 0) return nullptr;
  const std::lock_guard lock(mutex_);
  if (levels_.empty()) return nullptr;
  Task* task = remove_newest();
  publish(size_.load(std::memory_order_relaxed) - 1);
  return task;
}

Task* TaskDeque::pop_oldest() {
  if (size_.load(std::memory_order_relaxed) == 0) return nullptr;
  const std::lock_guard lock(mutex_);
  if (levels_.empty()) return nullptr;
  Task* task = remove_oldest();
  publish(size_.load(std::memory_order_relaxed) - 1);
  return task;
}

std::size_t TaskDeque::steal_half(std::size_t limit, TaskList& stolen) {
  if (size_.load(std::memory_order_relaxed) == 0) return 0;
  const std::lock_guard lock(mutex_);
  const std::size_t size = size_.load(std::memory_order_relaxed);
  const std::size_t count = std::min(limit, (size + 1) / 2);
  for (std::size_t i = 0; i < count; ++i) stolen.push_back(remove_oldest());
  publish(size - count);
  return count;
}

}  // namespace troupe::workers
