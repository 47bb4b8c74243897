/// One thread's wait for one event.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>

namespace troupe::graph {

/// Lives on the waiting thread's stack. `signal` is the last thing that the signalling thread does with it.
class TaskWaiter {
 public:
  void signal() {
    // Notified under the mutex: the waiter may be destroyed as soon as it sees `done_` without the mutex held.
    const std::lock_guard lock(mutex_);
    done_ = true;
    condition_.notify_all();
  }
  void wait() {
    std::unique_lock lock(mutex_);
    condition_.wait(lock, [&] { return done_; });
  }
  [[nodiscard]] bool done() {
    const std::lock_guard lock(mutex_);
    return done_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable condition_;
  bool done_ = false;  // guarded by mutex_
};

}  // namespace troupe::graph
