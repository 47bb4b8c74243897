/// A worker's ready tasks.
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

/// Ready tasks by priority. The owner takes the newest of the highest priority (its data are in the cache), thieves
/// take the oldest of the highest (it has the most work behind it). Any thread may call anything.
///
/// Invariants: 1. `highest_` is above all of `lower_`, which is sorted by priority, highest last. No level is empty,
/// except `highest_` where the deque is: what runs empty and is filled again and again keeps its memory. 2. A task in
/// the deque is in exactly one ring and belongs to the deque. 3. `size_` and `top_` are stored under the lock and are
/// exact whenever it is free; they may be read without it as hints.
///
/// Every operation takes a lock that only a thief ever contends, and costs O(log p) for p different priorities, or
/// O(p) where a priority appears or vanishes that is not the highest.
class alignas(64) TaskDeque {
 public:
  /// `top()` of an empty deque: below every priority.
  static constexpr std::int64_t kEmpty = std::numeric_limits<std::int64_t>::min();

  static constexpr std::size_t kMostStolen = 64;

  /// A task with its priority, so that it can be sorted in without touching it.
  struct Entry {
    graph::Task* task;
    std::int32_t priority;
  };

  TaskDeque() {
    lower_.reserve(64);
    spare_.reserve(64);
  }

  // Where there is no memory left for a pointer, the program ends: half of an insertion would run tasks twice or never.
  void push(graph::Task* task) noexcept;
  /// Empties `tasks`; the last becomes the newest.
  void push(graph::TaskList& tasks) noexcept;
  void push(std::span<const Entry> entries) noexcept;

  /// The newest task of the highest priority, or null.
  [[nodiscard]] graph::Task* pop_newest();
  /// The oldest task of the highest priority, or null.
  [[nodiscard]] graph::Task* pop_oldest();
  /// Moves half of the tasks, rounded up, at most `limit` and `kMostStolen`, to the end of `stolen`: oldest of the
  /// highest first. The tasks themselves are not touched before the lock is free again.
  std::size_t steal_half(std::size_t limit, graph::TaskList& stolen);
  /// The same into an array; returns how many. No task is touched.
  std::size_t steal_half(std::size_t limit, std::array<Entry, kMostStolen>& stolen);

  /// Sequentially consistent, so that "push, then look for an idle worker" and "declare idle, then look for tasks"
  /// cannot both miss the other.
  [[nodiscard]] std::size_t size() const { return size_.load(std::memory_order_seq_cst); }
  /// The highest priority, or `kEmpty`. A hint.
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
  /// Of a priority that the highest level does not have.
  void insert_other(const Entry& entry) TROUPE_REQUIRES(mutex_);
  void insert_lower(const Entry& entry) TROUPE_REQUIRES(mutex_);
  /// The ring of a priority that has appeared.
  Level make_level(std::int32_t priority) TROUPE_REQUIRES(mutex_);
  /// After the highest level has become empty, and there are others: the next takes its place, its memory is kept.
  void drop_highest() TROUPE_REQUIRES(mutex_);
  graph::Task* remove_newest() TROUPE_REQUIRES(mutex_);
  graph::Task* remove_oldest() TROUPE_REQUIRES(mutex_);
  /// After pushes: sequentially consistent, see `size`.
  void publish_more(std::size_t size) TROUPE_REQUIRES(mutex_);
  /// After pops, which nobody who goes to sleep has to see.
  void publish_less(std::size_t size) TROUPE_REQUIRES(mutex_);

  std::atomic<std::size_t> size_{0};
  std::atomic<std::int64_t> top_{kEmpty};
  SpinLock mutex_;
  // Beside the lock: a thief that finds one priority touches no line but this and the ring's.
  Level highest_ TROUPE_GUARDED_BY(mutex_);
  std::vector<Level> lower_ TROUPE_GUARDED_BY(mutex_);
  std::vector<TaskRing> spare_ TROUPE_GUARDED_BY(mutex_);
};

}  // namespace troupe::workers
