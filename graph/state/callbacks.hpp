/// The callbacks that run at this moment.
#pragma once

#include <atomic>
#include <cstddef>
#include <vector>

#include "graph/tasks/task.hpp"
#include "troupe/units.hpp"

namespace troupe::graph {

/// Knows the task whose callback each worker runs. Each worker has one entry, which only that worker writes; one more
/// entry is for all other threads, which take turns.
class CallbacksInProgress {
 public:
  struct Callback {
    const Task* task = nullptr;
    TimeStamp since{};
  };

  explicit CallbacksInProgress(std::size_t workers) : entries_(workers + 1) {}

  void begin(std::size_t slot, const Task& task, TimeStamp since) {
    entries_[slot].since.store(since.count(), std::memory_order_relaxed);
    // Release: a thread that loads the task with acquire also sees `since`.
    entries_[slot].task.store(&task, std::memory_order_release);
  }
  void end(std::size_t slot) { entries_[slot].task.store(nullptr, std::memory_order_release); }

  /// Returns true if the callback in this entry is the task's. Called in the entry's own thread.
  [[nodiscard]] bool is_of(std::size_t slot, const Task& task) const {
    return entries_[slot].task.load(std::memory_order_relaxed) == &task;
  }
  /// Returns the callback in this entry; its task is null if there is none.
  [[nodiscard]] Callback at(std::size_t slot) const {
    const Task* const task = entries_[slot].task.load(std::memory_order_acquire);
    return {task, TimeStamp(entries_[slot].since.load(std::memory_order_relaxed))};
  }

 private:
  struct alignas(64) Entry {
    std::atomic<const Task*> task{nullptr};
    std::atomic<TimeStamp::rep> since{0};
  };
  std::vector<Entry> entries_;
};

}  // namespace troupe::graph
