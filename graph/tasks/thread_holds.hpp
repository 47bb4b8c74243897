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
  [[nodiscard]] std::vector<const Task*> here() const { return chosen(&Hold::is_of); }

  /// Says whether the calling thread, with what it holds now, waits for room in the submission window.
  void wait_for_room(bool waits) {
    const std::uint64_t thread = this_thread();
    const LockGuard lock(mutex_);
    for (Hold& one : holds_) {
      if (one.thread == thread) one.waits_for_room = waits;
    }
    ++waits_changed_;
  }
  /// Returns the holds of all threads that wait for room, and those of the calling thread.
  [[nodiscard]] std::vector<const Task*> here_or_waiting_for_room() const { return chosen(&Hold::is_of_or_waits); }
  /// Returns how often `wait_for_room` was called, by any thread.
  [[nodiscard]] std::uint64_t waits_changed() const {
    const LockGuard lock(mutex_);
    return waits_changed_;
  }

 private:
  struct Hold {
    std::uint64_t thread;
    const Task* hold;
    bool waits_for_room = false;

    [[nodiscard]] bool is_of(std::uint64_t other) const { return thread == other; }
    [[nodiscard]] bool is_of_or_waits(std::uint64_t other) const { return waits_for_room || thread == other; }
  };

  [[nodiscard]] std::vector<const Task*> chosen(bool (Hold::*counts)(std::uint64_t thread) const) const {
    std::vector<const Task*> tasks;
    const std::uint64_t thread = this_thread();
    const LockGuard lock(mutex_);
    for (const Hold& one : holds_) {
      if ((one.*counts)(thread)) tasks.push_back(one.hold);
    }
    return tasks;
  }

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
  std::uint64_t waits_changed_ TROUPE_GUARDED_BY(mutex_) = 0;
};

}  // namespace troupe::graph
