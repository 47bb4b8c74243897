/// A growing ring of tasks.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "graph/tasks/task.hpp"

namespace troupe::workers {

/// Tasks in the order of their pushes. Tasks are taken from either end. The pointers are stored side by side, not as
/// links in the tasks, so a task that will soon be taken can be prefetched. Not thread-safe.
class TaskRing {
 public:
  TaskRing() = default;
  TaskRing(TaskRing&& other) noexcept { swap(other); }
  TaskRing& operator=(TaskRing&& other) noexcept {
    swap(other);
    return *this;
  }

  [[nodiscard]] bool empty() const { return begin_ == end_; }
  [[nodiscard]] std::size_t size() const { return end_ - begin_; }

  /// Adds a task as the newest task. Throws `std::bad_alloc`.
  void push_newest(graph::Task* task) {
    if (size() == capacity_) grow();
    at(end_++) = task;
  }
  // The ring must not be empty when one of the next four functions is called.
  [[nodiscard]] graph::Task* newest() const { return tasks_[(end_ - 1) & (capacity_ - 1)]; }
  [[nodiscard]] graph::Task* oldest() const { return tasks_[begin_ & (capacity_ - 1)]; }
  graph::Task* pop_newest() {
    graph::Task* task = at(--end_);
    if (size() >= kAhead) fetch(at(end_ - kAhead));
    return task;
  }
  graph::Task* pop_oldest() {
    graph::Task* task = at(begin_++);
    if (size() >= kAhead) fetch(at(begin_ + kAhead - 1));
    return task;
  }

 private:
  static constexpr std::size_t kFirstCapacity = 64;
  /// The number of tasks between the taken task and the prefetched task: these tasks take about as long as one memory
  /// access.
  static constexpr std::size_t kAhead = 3;

  void swap(TaskRing& other) noexcept {
    tasks_.swap(other.tasks_);
    std::swap(capacity_, other.capacity_);
    std::swap(begin_, other.begin_);
    std::swap(end_, other.end_);
  }
  static void fetch(const graph::Task* task) {
    __builtin_prefetch(task, 1);
    __builtin_prefetch(reinterpret_cast<const std::byte*>(task) + 64, 1);
  }
  [[nodiscard]] graph::Task*& at(std::size_t position) { return tasks_[position & (capacity_ - 1)]; }
  void grow() {
    const std::size_t capacity = capacity_ == 0 ? kFirstCapacity : 2 * capacity_;
    auto tasks = std::make_unique<graph::Task*[]>(capacity);
    const std::size_t count = size();
    for (std::size_t i = 0; i < count; ++i) tasks[i] = at(begin_ + i);
    tasks_ = std::move(tasks);
    capacity_ = capacity;
    begin_ = 0;
    end_ = count;
  }

  std::unique_ptr<graph::Task*[]> tasks_;
  /// A power of two, or 0. Positions grow without limit and are taken modulo the capacity.
  std::size_t capacity_ = 0;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

}  // namespace troupe::workers
