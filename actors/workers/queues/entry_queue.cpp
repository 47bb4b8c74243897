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
  // Publishes the slots to `move_all`, which loads `tail_` with acquire. Sequentially consistent, so that workers that
  // go to sleep do not miss the tasks (see `size`).
  tail_.store(tail, std::memory_order_seq_cst);
}

void EntryQueue::make_room(std::uint64_t tail) noexcept {
  // Acquire: pairs with the release in `move_all`: the slots below `head_` have been read.
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
  // Acquire: pairs with the store in `push`, which publishes the slots.
  const std::uint64_t tail = tail_.load(std::memory_order_acquire);
  while (head != tail) {
    const std::size_t first = head % kCapacity;
    const std::size_t count = std::min<std::size_t>(tail - head, kCapacity - first);
    sorted_.push({&slots_[first], count});
    head += count;
  }
  // Release: pairs with the acquire in `make_room`: these slots may be written again.
  head_.store(head, std::memory_order_release);
}

}  // namespace troupe::workers
