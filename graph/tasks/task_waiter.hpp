/// A wait for one event.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <utility>

#include "graph/tasks/calling_thread.hpp"
#include "graph/tasks/interruptible_wait.hpp"
#include "proto/mutex.hpp"

namespace troupe::graph {

/// A waiter wakes the thread on whose stack it lives, or calls a function instead. The signalling thread does not use
/// the waiter after the call of `signal`.
class TaskWaiter {
 public:
  TaskWaiter() = default;
  /// Makes a waiter that wakes no thread: `signalled` is called once, in the signalling thread. `signalled` may destroy
  /// this object.
  explicit TaskWaiter(std::function<void()> signalled) : signalled_(std::move(signalled)) {}

  void signal() {
    if (signalled_) {
      const std::function<void()> signalled = std::move(signalled_);
      signalled();
      return;
    }
    // The notification comes under the mutex, because the waiting thread may destroy the object as soon as it sees
    // `done_` and the mutex is free.
    const LockGuard lock(mutex_);
    done_ = true;
    condition_.notify_all();
  }
  void wait() { static_cast<void>(wait(nullptr)); }
  /// Returns false if `interrupt`, which may be null, gives up the wait. The waiter may still be signalled then.
  [[nodiscard]] bool wait(WaitInterrupt* interrupt) {
    UniqueLock lock(mutex_);
    const auto done = [this]() TROUPE_REQUIRES(mutex_) { return done_; };
    return wait_until(lock, condition_, done, interrupt);
  }
  [[nodiscard]] bool done() {
    const LockGuard lock(mutex_);
    return done_;
  }

 private:
  /// The function to call; may be empty. Written by the constructor and by `signal`.
  std::function<void()> signalled_;
  Mutex mutex_;
  std::condition_variable condition_;
  bool done_ TROUPE_GUARDED_BY(mutex_) = false;
};

}  // namespace troupe::graph
