/// Task deque: the ready tasks of a worker.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "actors/workers/queues/task_ring.hpp"
#include "graph/tasks/task.hpp"
#include "proto/mutex.hpp"
#include "proto/spin_lock.hpp"

namespace troupe::workers {

/// Ready tasks by priority. The owner takes the newest task of the highest priority, because its data are in the cache.
/// Thieves take the oldest task of the highest priority, because the most work follows from that task. All functions
/// may be called from any thread.
///
/// Invariants: 1. The priority of `highest_` is above all priorities in `lower_`, which is sorted by priority, highest
/// last. No level is empty, except `highest_` if the deque is empty: so a deque with a single priority keeps its memory
/// when it becomes empty and is filled again. 2. A task in the deque is in exactly one ring and belongs to the deque.
/// 3. `size_` and `top_` are stored under the lock and are exact whenever the lock is free; they may be read without
/// the lock as hints.
///
/// Every operation takes a lock. The owner has to wait for the lock only while a thief has it. An operation costs O(log
/// p) for p different priorities, or O(p) if a priority appears or vanishes that is not the highest.
class alignas(64) TaskDeque {
 public:
  /// The value of `top()` for an empty deque: below every priority.
  static constexpr std::int64_t kEmpty = std::numeric_limits<std::int64_t>::min();

  static constexpr std::size_t kMostStolen = 64;

  /// A task and its priority. With a copy of the priority, the deque can insert a task without touching the task.
  struct Entry {
    graph::Task* task;
    std::int32_t priority;
  };

  TaskDeque() {
    lower_.reserve(64);
    spare_.reserve(64);
  }

  // If no memory is left for a pointer, the program ends: an insertion that fails halfway would make tasks run twice or
  // never.
  void push(graph::Task* task) noexcept;
  /// Adds the tasks of the list and empties the list. The last task of the list becomes the newest task.
  void push(graph::TaskList& tasks) noexcept;
  void push(std::span<const Entry> entries) noexcept;

  /// Returns the newest task of the highest priority, or null.
  [[nodiscard]] graph::Task* pop_newest();
  /// Returns the oldest task of the highest priority, or null.
  [[nodiscard]] graph::Task* pop_oldest();
  // The next two functions return the same task as `pop_newest` and `pop_oldest` if `wanted(task)` is true, else null.
  // `wanted` must be quick.
  template <class Wanted>
  [[nodiscard]] graph::Task* pop_newest_if(const Wanted& wanted) {
    return pop_if([&]()
                      TROUPE_REQUIRES(mutex_) { return wanted(*highest_.tasks.newest()) ? remove_newest() : nullptr; });
  }
  template <class Wanted>
  [[nodiscard]] graph::Task* pop_oldest_if(const Wanted& wanted) {
    return pop_if([&]()
                      TROUPE_REQUIRES(mutex_) { return wanted(*highest_.tasks.oldest()) ? remove_oldest() : nullptr; });
  }
  /// Moves half of the tasks (rounded up, but at most `limit` and at most `kMostStolen`) to the end of `stolen`. Takes
  /// the oldest task of the highest priority first. The tasks themselves are not touched before the lock is free again.
  std::size_t steal_half(std::size_t limit, graph::TaskList& stolen);
  /// Moves half of the tasks like the function above, but into an array; returns their number. Touches no task.
  std::size_t steal_half(std::size_t limit, std::array<Entry, kMostStolen>& stolen);

  /// Returns the number of tasks. Sequentially consistent: if one thread pushes a task and then looks for an idle
  /// worker, and another thread declares itself idle and then looks for tasks, one of the two sees what the other did.
  [[nodiscard]] std::size_t size() const { return size_.load(std::memory_order_seq_cst); }
  /// Returns the highest priority, or `kEmpty` if the deque is empty. A hint.
  [[nodiscard]] std::int64_t top() const { return top_.load(std::memory_order_relaxed); }

 private:
  struct Level {
    std::int32_t priority = 0;
    TaskRing tasks;
  };

  void insert(graph::Task* task, std::int32_t priority) TROUPE_REQUIRES(mutex_) {
    if (priority == highest_.priority) [[likely]] {
      highest_.tasks.push_newest(task);
    } else {
      insert_other({task, priority});
    }
  }
  /// Inserts a task whose priority differs from that of the highest level.
  void insert_other(const Entry& entry) TROUPE_REQUIRES(mutex_);
  void insert_lower(const Entry& entry) TROUPE_REQUIRES(mutex_);
  /// Makes the level of a new priority.
  Level make_level(std::int32_t priority) TROUPE_REQUIRES(mutex_);
  /// Called when the highest level has become empty and there are other levels. The next level becomes the highest, and
  /// the memory of the empty level is kept.
  void drop_highest() TROUPE_REQUIRES(mutex_);
  template <class Remove>
  graph::Task* pop_if(const Remove& remove) {
    if (size_.load(std::memory_order_relaxed) == 0) return nullptr;
    const LockGuard lock(mutex_);
    const std::size_t size = size_.load(std::memory_order_relaxed);
    graph::Task* const task = size > 0 ? remove() : nullptr;
    if (task != nullptr) publish_less(size - 1);
    return task;
  }
  graph::Task* remove_newest() TROUPE_REQUIRES(mutex_);
  graph::Task* remove_oldest() TROUPE_REQUIRES(mutex_);
  /// Called after pushes: sequentially consistent, see `size`.
  void publish_more(std::size_t size) TROUPE_REQUIRES(mutex_);
  /// Called after pops. A worker that goes to sleep need not see the smaller size at once.
  void publish_less(std::size_t size) TROUPE_REQUIRES(mutex_);

  std::atomic<std::size_t> size_{0};
  std::atomic<std::int64_t> top_{kEmpty};
  SpinLock mutex_;
  // `highest_` lies next to the lock: a thief that finds only one priority touches the cache line of both and that of
  // the ring, and no other.
  Level highest_ TROUPE_GUARDED_BY(mutex_);
  std::vector<Level> lower_ TROUPE_GUARDED_BY(mutex_);
  std::vector<TaskRing> spare_ TROUPE_GUARDED_BY(mutex_);
};

}  // namespace troupe::workers
