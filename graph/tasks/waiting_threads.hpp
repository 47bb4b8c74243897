/// The threads of the program that wait, and what each waits for.
#pragma once

#include <chrono>
#include <list>
#include <vector>

#include "graph/tasks/graph_snapshot.hpp"
#include "proto/mutex.hpp"

namespace troupe::graph {

/// A list of the waiting threads. Only threads that are about to block add themselves, so the lock costs no noticeable
/// time. Thread-safe.
class WaitingThreads {
 public:
  /// While a `Note` lives, the calling thread is listed as waiting.
  class Note {
   public:
    Note(WaitingThreads& threads, WaitKind kind, TaskId task = {}) : threads_(threads) {
      const LockGuard lock(threads_.mutex_);
      threads_.waits_.push_front({kind, task, now()});
      wait_ = threads_.waits_.begin();
    }
    ~Note() {
      const LockGuard lock(threads_.mutex_);
      threads_.waits_.erase(wait_);
    }
    Note(const Note&) = delete;
    Note& operator=(const Note&) = delete;

   private:
    WaitingThreads& threads_;
    std::list<ThreadWait>::iterator wait_;
  };

  /// Returns all waits, the longest first.
  [[nodiscard]] std::vector<ThreadWait> all() const {
    const LockGuard lock(mutex_);
    return {waits_.rbegin(), waits_.rend()};
  }

  /// Returns the time in the epoch of `platform::SteadyClock`, which this library may not include.
  [[nodiscard]] static TimeStamp now() {
    return std::chrono::duration_cast<TimeStamp>(std::chrono::steady_clock::now().time_since_epoch());
  }

 private:
  mutable Mutex mutex_;
  std::list<ThreadWait> waits_ TROUPE_GUARDED_BY(mutex_);
};

}  // namespace troupe::graph
