/// Waits on condition variables that the calling thread may give up.
#pragma once

#include <chrono>
#include <condition_variable>

#include "graph/tasks/calling_thread.hpp"
#include "proto/mutex.hpp"

namespace troupe::graph {

/// Blocks until `condition` is true. Returns false if `interrupt`, which may be null, gives up the wait. `lock` is
/// held when this function is called, when it calls `condition` and when it returns, and free while it asks
/// `interrupt`.
template <class Condition>
bool wait_until(UniqueLock& lock, std::condition_variable& changed, const Condition& condition,
                WaitInterrupt* interrupt) TROUPE_NO_THREAD_SAFETY_ANALYSIS {
  if (interrupt == nullptr) {
    changed.wait(lock, condition);
    return true;
  }
  while (!changed.wait_for(lock, std::chrono::milliseconds(100), condition)) {
    lock.unlock();
    const bool gives_up = interrupt->gives_up();
    lock.lock();
    if (gives_up) return false;
  }
  return true;
}

}  // namespace troupe::graph
