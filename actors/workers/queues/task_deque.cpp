#include "actors/workers/queues/task_deque.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "proto/mutex.hpp"
#include "proto/prefetch.hpp"

namespace troupe::workers {

using graph::Task;
using graph::TaskList;

void TaskDeque::insert_other(const Entry& entry) {
  if (highest_.tasks.empty()) {
    highest_.priority = entry.priority;
  } else if (entry.priority < highest_.priority) {
    return insert_lower(entry);
  } else {
    lower_.push_back(std::move(highest_));
    highest_ = make_level(entry.priority);
  }
  highest_.tasks.push_newest(entry.task);
}

void TaskDeque::insert_lower(const Entry& entry) {
  auto level =
      std::lower_bound(lower_.begin(), lower_.end(), entry.priority,
                       [](const Level& candidate, std::int32_t priority) { return candidate.priority < priority; });
  if (level == lower_.end() || level->priority != entry.priority) {
    level = lower_.insert(level, make_level(entry.priority));
  }
  level->tasks.push_newest(entry.task);
}

TaskDeque::Level TaskDeque::make_level(std::int32_t priority) {
  Level level{priority, {}};
  if (!spare_.empty()) {
    level.tasks = std::move(spare_.back());
    spare_.pop_back();
  }
  return level;
}

void TaskDeque::drop_highest() {
  std::swap(highest_, lower_.back());
  if (spare_.size() < spare_.capacity()) spare_.push_back(std::move(lower_.back().tasks));
  lower_.pop_back();
}

Task* TaskDeque::remove_newest() {
  Task* task = highest_.tasks.pop_newest();
  if (highest_.tasks.empty() && !lower_.empty()) [[unlikely]]
    drop_highest();
  return task;
}

Task* TaskDeque::remove_oldest() {
  Task* task = highest_.tasks.pop_oldest();
  if (highest_.tasks.empty() && !lower_.empty()) [[unlikely]]
    drop_highest();
  return task;
}

void TaskDeque::publish_more(std::size_t size) {
  top_.store(highest_.priority, std::memory_order_relaxed);
  size_.store(size, std::memory_order_seq_cst);
}

void TaskDeque::publish_less(std::size_t size) {
  top_.store(size == 0 ? kEmpty : highest_.priority, std::memory_order_relaxed);
  // Release: pairs with the load in `size`, so that no thread sees the smaller number before the tasks have been
  // removed.
  size_.store(size, std::memory_order_release);
}

void TaskDeque::push(Task* task) noexcept {
  const LockGuard lock(mutex_);
  insert(task, task->priority);
  publish_more(size_.load(std::memory_order_relaxed) + 1);
}

void TaskDeque::push(TaskList& tasks) noexcept {
  if (tasks.empty()) return;
  const LockGuard lock(mutex_);
  std::size_t size = size_.load(std::memory_order_relaxed);
  for (; !tasks.empty(); ++size) {
    Task* task = tasks.pop_front();
    insert(task, task->priority);
  }
  publish_more(size);
}

void TaskDeque::push(std::span<const Entry> entries) noexcept {
  if (entries.empty()) return;
  const LockGuard lock(mutex_);
  for (const Entry& entry : entries) insert(entry.task, entry.priority);
  publish_more(size_.load(std::memory_order_relaxed) + entries.size());
}

Task* TaskDeque::pop_newest() {
  return pop_if([this]() TROUPE_REQUIRES(mutex_) { return remove_newest(); });
}

Task* TaskDeque::pop_oldest() {
  return pop_if([this]() TROUPE_REQUIRES(mutex_) { return remove_oldest(); });
}

std::size_t TaskDeque::steal_half(std::size_t limit, std::array<Entry, kMostStolen>& stolen) {
  if (size_.load(std::memory_order_relaxed) == 0) return 0;
  const LockGuard lock(mutex_);
  const std::size_t size = size_.load(std::memory_order_relaxed);
  const std::size_t count = std::min({limit, kMostStolen, (size + 1) / 2});
  for (std::size_t i = 0; i < count; ++i) {
    stolen[i].priority = highest_.priority;
    stolen[i].task = remove_oldest();
  }
  publish_less(size - count);
  return count;
}

std::size_t TaskDeque::steal_half(std::size_t limit, TaskList& stolen) {
  std::array<Entry, kMostStolen> tasks;
  const std::size_t count = steal_half(limit, tasks);
  // All tasks are prefetched first, because each lies in another core's cache.
  for (std::size_t i = 0; i < count; ++i) prefetch_to_write(tasks[i].task);
  for (std::size_t i = 0; i < count; ++i) stolen.push_back(tasks[i].task);
  return count;
}

}  // namespace troupe::workers
