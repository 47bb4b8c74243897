/// Relay: several threads take turns at being one worker.
#pragma once

#include <atomic>
#include <functional>
#include <utility>
#include <vector>

#include "graph/tasks/task_waiter.hpp"
#include "proto/mutex.hpp"

namespace troupe::workers {

/// One thread at a time *is* the worker: this thread runs the worker's kernels and uses the worker's core. While a
/// kernel blocks in a wait, another thread is the worker: a thread whose wait is over, or else the worker's own thread,
/// or else a *spare* thread. A thread that wants its turn waits until the thread that is the worker has ended its
/// kernel. So no wait makes a core idle, and no two kernels share one core.
///
/// Thread-safe. A turn is a `TaskWaiter` that is signalled when the turn begins.
class Relay {
 public:
  /// Returns true if some thread wants its turn. Spare threads at rest do not count.
  [[nodiscard]] bool wanted() const { return wanted_.load(std::memory_order_acquire); }
  /// Returns true if `pass_on` finds a thread.
  [[nodiscard]] bool has_successor() const {
    const LockGuard lock(mutex_);
    return !waits_over_.empty() || own_ != nullptr || !resting_.empty();
  }

  /// Called by a thread whose wait in a kernel is over.
  void want(graph::TaskWaiter& turn) {
    const LockGuard lock(mutex_);
    waits_over_.push_back(&turn);
    wanted_.store(true, std::memory_order_release);
  }
  /// Called by the worker's own thread, between two kernels, before this thread passes its turn on.
  void want_later(graph::TaskWaiter& turn) {
    const LockGuard lock(mutex_);
    own_ = &turn;
    wanted_.store(true, std::memory_order_release);
  }
  /// Called for a new spare thread, and for a spare thread that is about to pass its turn on, between two kernels.
  void rest(graph::TaskWaiter& turn) {
    const LockGuard lock(mutex_);
    resting_.push_back(&turn);
  }

  /// Ends the turn of the calling thread, and begins the turn of another thread, its successor. If the successor has
  /// asked for its turn (`want`, `want_later`), `granted` is called first. There must be a successor.
  void pass_on(const std::function<void()>& granted) {
    graph::TaskWaiter* next = nullptr;
    {
      const LockGuard lock(mutex_);
      if (!waits_over_.empty()) {
        next = waits_over_.front();
        waits_over_.erase(waits_over_.begin());
      } else if (own_ != nullptr) {
        next = std::exchange(own_, nullptr);
      }
      wanted_.store(!waits_over_.empty() || own_ != nullptr, std::memory_order_release);
      if (next != nullptr) {
        granted();
      } else {
        next = resting_.back();
        resting_.pop_back();
      }
    }
    next->signal();
  }

  /// Called when the worker ends: wakes the spare threads, all of which rest.
  void close() {
    std::vector<graph::TaskWaiter*> resting;
    {
      const LockGuard lock(mutex_);
      closed_ = true;
      resting.swap(resting_);
    }
    for (graph::TaskWaiter* turn : resting) turn->signal();
  }
  [[nodiscard]] bool closed() const {
    const LockGuard lock(mutex_);
    return closed_;
  }

 private:
  std::atomic<bool> wanted_{false};
  mutable Mutex mutex_;
  /// The turns of threads whose waits are over, in the order in which the waits ended.
  std::vector<graph::TaskWaiter*> waits_over_ TROUPE_GUARDED_BY(mutex_);
  /// The turn of the worker's own thread; null while that thread is the worker, or is in a kernel.
  graph::TaskWaiter* own_ TROUPE_GUARDED_BY(mutex_) = nullptr;
  /// The turns of the spare threads that rest.
  std::vector<graph::TaskWaiter*> resting_ TROUPE_GUARDED_BY(mutex_);
  bool closed_ TROUPE_GUARDED_BY(mutex_) = false;
};

}  // namespace troupe::workers
