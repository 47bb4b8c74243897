/// Ready tasks that no worker owns.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "actors/workers/queues/task_deque.hpp"
#include "graph/tasks/task.hpp"
#include "proto/mutex.hpp"
#include "proto/spin_lock.hpp"

namespace troupe::workers {

/// The program's threads put ready tasks here. There are two stages: an *inbox*, which is a ring that submitters write,
/// and a sorted queue that workers share. A worker that drains the inbox moves all tasks of the inbox to the sorted
/// queue in one go. If small tasks were moved one by one, the submitting thread and the workers would exchange cache
/// lines for each task. All functions may be called from any thread.
///
/// Invariants: 1. `head_ <= tail_ <= head_ + kCapacity`; the slots from `head_` to `tail_` are the inbox, oldest task
/// first. 2. `tail_` is written under `producers_`, `head_` under `consumers_`; a thread that needs both locks takes
/// `producers_` first. 3. A drained task is in the sorted queue before `head_` passes the task's slot, so the task can
/// be found at every moment.
class EntryQueue {
 public:
  /// Called from outside the workers. Empties `tasks`.
  void push(graph::TaskList& tasks) noexcept;
  void push(graph::Task* task) noexcept;
  /// Called by workers that take all tasks from one queue: the tasks bypass the inbox.
  void push_sorted(graph::TaskList& tasks) noexcept { sorted_.push(tasks); }

  /// Moves the tasks of the inbox into the sorted queue, unless another thread is doing that.
  void drain() noexcept {
    if (tail_.load(std::memory_order_relaxed) != head_.load(std::memory_order_relaxed)) move_some();
  }

  /// Returns the number of tasks in both stages. Sequentially consistent, see `TaskDeque::size`. During `drain` some
  /// tasks are counted twice.
  [[nodiscard]] std::size_t size() const {
    const std::uint64_t head = head_.load(std::memory_order_seq_cst);
    return tail_.load(std::memory_order_seq_cst) - head + sorted_.size();
  }
  /// These functions concern only the sorted queue.
  [[nodiscard]] std::size_t drained() const { return sorted_.size(); }
  [[nodiscard]] std::int64_t top() const { return sorted_.top(); }
  [[nodiscard]] graph::Task* pop_oldest() { return sorted_.pop_oldest(); }
  template <class Wanted>
  [[nodiscard]] graph::Task* pop_oldest_if(const Wanted& wanted) {
    return sorted_.pop_oldest_if(wanted);
  }
  std::size_t steal_half(std::size_t limit, std::array<TaskDeque::Entry, TaskDeque::kMostStolen>& stolen) {
    return sorted_.steal_half(limit, stolen);
  }

 private:
  static constexpr std::size_t kCapacity = 1024;

  void move_some() noexcept;
  void move_all() noexcept TROUPE_REQUIRES(consumers_);
  /// Called by a submitter that finds the inbox full. Empties the inbox.
  [[gnu::cold]] void make_room(std::uint64_t tail) noexcept TROUPE_REQUIRES(producers_);

  // The members below are written by submitters.
  alignas(64) std::atomic<std::uint64_t> tail_{0};
  SpinLock producers_;
  /// The newest `head_` that a submitter has seen.
  std::uint64_t seen_head_ TROUPE_GUARDED_BY(producers_) = 0;
  // The members below are written by workers.
  alignas(64) std::atomic<std::uint64_t> head_{0};
  SpinLock consumers_;
  TaskDeque sorted_;
  alignas(64) std::array<TaskDeque::Entry, kCapacity> slots_;
};

}  // namespace troupe::workers
