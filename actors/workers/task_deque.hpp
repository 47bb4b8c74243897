/// A worker's ready tasks.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "graph/spin_lock.hpp"
#include "graph/task.hpp"

namespace troupe::workers {

/// Ready tasks by priority. The owner takes the newest of the highest priority (its data are in the cache), thieves
/// take the oldest of the highest (it has the most work behind it). Any thread may call anything.
///
/// Invariants: 1. `levels_` is sorted by priority, highest last, and holds no empty level. 2. A task in the deque is
/// linked through `next` (towards newer) and `previous` (towards older) and belongs to the deque. 3. `size_` and
/// `top_` are stored under the lock and are exact whenever it is free; they may be read without it as hints.
///
/// Every operation takes a lock that only a thief ever contends, and costs O(log p) for p different priorities, or
/// O(p) where a priority appears or vanishes that is not the highest.
class alignas(64) TaskDeque {
 public:
  /// `top()` of an empty deque: below every priority.
  static constexpr std::int64_t kEmpty = std::numeric_limits<std::int64_t>::min();

  TaskDeque() { levels_.reserve(64); }

  void push(graph::Task* task);
  /// Empties `tasks`; the last becomes the newest.
  void push(graph::TaskList& tasks);

  /// The newest task of the highest priority, or null.
  [[nodiscard]] graph::Task* pop_newest();
  /// The oldest task of the highest priority, or null.
  [[nodiscard]] graph::Task* pop_oldest();
  /// Moves half of the tasks, rounded up, at most `limit`, to the end of `stolen`: oldest of the highest first.
  std::size_t steal_half(std::size_t limit, graph::TaskList& stolen);

  /// Sequentially consistent, so that "push, then look for an idle worker" and "declare idle, then look for tasks"
  /// cannot both miss the other.
  [[nodiscard]] std::size_t size() const { return size_.load(std::memory_order_seq_cst); }
  /// The highest priority, or `kEmpty`. A hint.
  [[nodiscard]] std::int64_t top() const { return top_.load(std::memory_order_relaxed); }

 private:
  struct Level {
    std::int32_t priority;
    graph::Task* oldest;
    graph::Task* newest;
  };

  // All require mutex_.
  void insert(graph::Task* task);
  graph::Task* remove_newest();
  graph::Task* remove_oldest();
  void publish(std::size_t size);

  SpinLock mutex_;
  std::vector<Level> levels_;  // guarded by mutex_
  std::atomic<std::size_t> size_{0};
  std::atomic<std::int64_t> top_{kEmpty};
};

}  // namespace troupe::workers
