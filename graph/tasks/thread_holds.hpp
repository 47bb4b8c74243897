/// Which thread of the program holds what.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

#include "graph/tasks/task.hpp"
#include "proto/mutex.hpp"

namespace troupe::graph {

/// To tell a thread that it is about to wait for itself. Thread-safe.
class ThreadHolds {
 public:
  /// The calling thread has acquired what this `host` task stands for.
  void add(const Task* hold) {
    const LockGuard lock(mutex_);
    holds_.push_back({std::this_thread::get_id(), hold});
    count_.store(holds_.size(), std::memory_order_relaxed);
  }
  /// By any thread; nothing where the hold is not known.
  void remove(const Task* hold) {
    // Relaxed: whoever gives a hold back has heard of it from who acquired it.
    if (count_.load(std::memory_order_relaxed) == 0) return;
    const LockGuard lock(mutex_);
    std::erase_if(holds_, [hold](const Hold& one) { return one.hold == hold; });
    count_.store(holds_.size(), std::memory_order_relaxed);
  }
  /// Whether the calling thread holds anything.
  [[nodiscard]] bool any_here() const { return count_.load(std::memory_order_relaxed) != 0 && !here().empty(); }
  /// What the calling thread holds.
  [[nodiscard]] std::vector<const Task*> here() const {
    std::vector<const Task*> own;
    const LockGuard lock(mutex_);
    for (const Hold& one : holds_) {
      if (one.thread == std::this_thread::get_id()) own.push_back(one.hold);
    }
    return own;
  }

 private:
  struct Hold {
    std::thread::id thread;
    const Task* hold;
  };

  std::atomic<std::size_t> count_{0};
  mutable Mutex mutex_;
  std::vector<Hold> holds_ TROUPE_GUARDED_BY(mutex_);
};

}  // namespace troupe::graph
