/// The host memory of buffers that nobody uses any more, until it is given back.
#pragma once

#include <unistd.h>

#include <condition_variable>
#include <cstddef>

#include "proto/mutex.hpp"

namespace troupe::opencl {

/// The amount of released memory. A worker that ends the last command of a released buffer leaves the buffer's memory
/// to a thread that may wait for the runtime. A program can make buffers faster than that thread frees them, so a
/// thread that makes one waits while too much is left to give back. Thread-safe.
class ReleasedMemory {
 public:
  [[nodiscard]] static ReleasedMemory& get();

  /// Adds the memory of a buffer that has ended.
  void add(std::size_t bytes) TROUPE_EXCLUDES(mutex_);
  /// Subtracts memory that has been given back.
  void give_back(std::size_t bytes) TROUPE_EXCLUDES(mutex_);
  [[nodiscard]] std::size_t bytes() const TROUPE_EXCLUDES(mutex_) {
    const LockGuard lock(mutex_);
    return bytes_;
  }
  /// Blocks until at most 32 MiB of released memory are left to give back; returns at once in a child of `fork`. Must
  /// not be called by workers or by the thread that gives memory back.
  void wait_until_little_is_left() TROUPE_EXCLUDES(mutex_);

 private:
  mutable Mutex mutex_;
  std::condition_variable less_;
  std::size_t bytes_ TROUPE_GUARDED_BY(mutex_) = 0;
  /// The process whose thread gives memory back; a child after `fork` has no such thread.
  const pid_t process_ = getpid();
};

}  // namespace troupe::opencl
