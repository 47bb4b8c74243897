/// The host memory of buffers that are no longer used, until it is freed.
#pragma once

#include <unistd.h>

#include <condition_variable>
#include <cstddef>

#include "proto/mutex.hpp"

namespace troupe::opencl {

/// Counts released memory that is not yet freed. If the last command of a released buffer ends in a worker, the worker
/// leaves the buffer's memory to another thread, because freeing may wait for the runtime. A program can make buffers
/// faster than that thread frees them, so a thread that makes a buffer waits while too much memory is not yet freed.
/// Thread-safe.
class ReleasedMemory {
 public:
  [[nodiscard]] static ReleasedMemory& get();

  /// Adds the memory of a buffer that was released.
  void add(std::size_t bytes) TROUPE_EXCLUDES(mutex_);
  /// Subtracts memory that has been freed.
  void give_back(std::size_t bytes) TROUPE_EXCLUDES(mutex_);
  [[nodiscard]] std::size_t bytes() const TROUPE_EXCLUDES(mutex_) {
    const LockGuard lock(mutex_);
    return bytes_;
  }
  /// Blocks until at most 32 MiB of released memory are not yet freed; returns at once in a child of `fork`. Must not
  /// be called by workers or by the thread that frees memory.
  void wait_until_little_is_left() TROUPE_EXCLUDES(mutex_);

 private:
  mutable Mutex mutex_;
  std::condition_variable less_;
  std::size_t bytes_ TROUPE_GUARDED_BY(mutex_) = 0;
  /// The process that has the thread which frees memory; a child after `fork` has no such thread.
  const pid_t process_ = getpid();
};

}  // namespace troupe::opencl
