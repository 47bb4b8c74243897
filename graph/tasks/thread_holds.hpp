/// The data that each thread of the program holds, which means that the thread has acquired them.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "graph/tasks/task.hpp"
#include "proto/mutex.hpp"

namespace troupe::graph {

/// A list of all holds. With it, the graph detects that a thread would wait for data that it holds itself. Thread-safe.
class ThreadHolds {
 public:
  /// Records that the calling thread has acquired data. `hold` is the `host` task that stands for this use of the data.
  void add(const Task* hold) {
    const LockGuard lock(mutex_);
    holds_.push_back({this_thread(), hold});
    count_.store(holds_.size(), std::memory_order_relaxed);
  }
  /// Removes the hold; does nothing if it is not known. May be called from any thread.
  void remove(const Task* hold) {
    // Relaxed: the hold passes from the thread that called `add` to this thread, which orders the two calls.
    if (count_.load(std::memory_order_relaxed) == 0) return;
    const LockGuard lock(mutex_);
    std::erase_if(holds_, [hold](const Hold& one) { return one.hold == hold; });
    count_.store(holds_.size(), std::memory_order_relaxed);
  }
  /// Returns true if the calling thread holds any data.
  [[nodiscard]] bool any_here() const { return count_.load(std::memory_order_relaxed) != 0 && !here().empty(); }
  /// Returns the holds of the calling thread.
  [[nodiscard]] std::vector<const Task*> here() const {
    std::vector<const Task*> own;
    const std::uint64_t thread = this_thread();
    const LockGuard lock(mutex_);
    for (const Hold& one : holds_) {
      if (one.thread == thread) own.push_back(one.hold);
    }
    return own;
  }

 private:
  struct Hold {
    std::uint64_t thread;
    const Task* hold;
  };

  /// Returns a number that no other thread ever gets. `std::thread::id` would not do: a new thread may get the id of an
  /// ended thread whose hold is not given back yet.
  [[nodiscard]] static std::uint64_t this_thread() {
    static std::atomic<std::uint64_t> last{0};
    // Relaxed: the numbers only have to differ.
    thread_local const std::uint64_t own = last.fetch_add(1, std::memory_order_relaxed) + 1;
    return own;
  }

  std::atomic<std::size_t> count_{0};
  mutable Mutex mutex_;
  std::vector<Hold> holds_ TROUPE_GUARDED_BY(mutex_);
};

}  // namespace troupe::graph
