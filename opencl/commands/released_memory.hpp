/// Host memory of buffers that nobody uses any more, until it is given back.
#pragma once

#include <unistd.h>

#include <condition_variable>
#include <cstddef>

#include "proto/mutex.hpp"

namespace troupe::opencl {

/// A worker that ends the last command of a released buffer leaves the buffer's memory to a thread that may wait for
/// the runtime. A program can make buffers faster than that thread ends them, so whoever makes one waits while too much
/// is left to be given back. Thread-safe.
class ReleasedMemory {
 public:
  [[nodiscard]] static ReleasedMemory& get();

  /// A buffer has ended.
  void add(std::size_t bytes) TROUPE_EXCLUDES(mutex_);
  /// Its memory has been given back.
  void give_back(std::size_t bytes) TROUPE_EXCLUDES(mutex_);
  [[nodiscard]] std::size_t bytes() const TROUPE_EXCLUDES(mutex_) {
    const LockGuard lock(mutex_);
    return bytes_;
  }
  /// Returns when little is left. Not by a worker, and not by the thread that gives back.
  void wait_until_little_is_left() TROUPE_EXCLUDES(mutex_);

 private:
  mutable Mutex mutex_;
  std::condition_variable less_;
  std::size_t bytes_ TROUPE_GUARDED_BY(mutex_) = 0;
  /// Whose thread gives back: a child after `fork` has none.
  const pid_t process_ = getpid();
};

}  // namespace troupe::opencl
