#include "actors/workers/queues/entry_queue.hpp"

#include <algorithm>
#include <mutex>

namespace troupe::workers {

using graph::Task;
using graph::TaskList;

void EntryQueue::push(TaskList& tasks) noexcept {
  const LockGuard lock(producers_);
  std::uint64_t tail = tail_.load(std::memory_order_relaxed);
  for (Task* task = tasks.front(); task != nullptr; task = task->next) {
    if (tail - seen_head_ == kCapacity) [[unlikely]]
      make_room(tail);
    slots_[tail++ % kCapacity] = {task, task->priority};
  }
  tasks = {};
  // Releases the slots to `drain`. Sequentially consistent for workers that go to sleep, see `size`.
  tail_.store(tail, std::memory_order_seq_cst);
}

void EntryQueue::make_room(std::uint64_t tail) noexcept {
  // Acquire: the slots have been read.
  seen_head_ = head_.load(std::memory_order_acquire);
  if (tail - seen_head_ < kCapacity) return;
  tail_.store(tail, std::memory_order_release);
  const LockGuard consuming(consumers_);
  move_all();
  seen_head_ = tail;
}

void EntryQueue::push(Task* task) noexcept {
  TaskList tasks;
  tasks.push_back(task);
  push(tasks);
}

void EntryQueue::move_some() noexcept {
  if (!consumers_.try_lock()) return;
  const LockGuard lock(consumers_, std::adopt_lock);
  move_all();
}

void EntryQueue::move_all() noexcept {
  std::uint64_t head = head_.load(std::memory_order_relaxed);
  // Acquires the slots that `push` released.
  const std::uint64_t tail = tail_.load(std::memory_order_acquire);
  while (head != tail) {
    const std::size_t first = head % kCapacity;
    const std::size_t count = std::min<std::size_t>(tail - head, kCapacity - first);
    sorted_.push({&slots_[first], count});
    head += count;
  }
  // Releases the slots to `push`.
  head_.store(head, std::memory_order_release);
}

}  // namespace troupe::workers
