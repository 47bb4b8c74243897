/// A thread for what must not be done where it comes up: calls of the program's functions, and the end of memory.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <thread>
#include <utility>

#include "proto/mutex.hpp"

namespace troupe::opencl {

/// Runs jobs one after the other, in the order in which they came. The thread starts with the first. A worker that ends
/// a command may neither wait for data to be given up nor be held up by a program's callback. Thread-safe.
class BackgroundThread {
 public:
  /// `name`: for debuggers.
  explicit BackgroundThread(std::string name) : name_(std::move(name)) {}
  BackgroundThread(const BackgroundThread&) = delete;
  BackgroundThread& operator=(const BackgroundThread&) = delete;
  /// As `stop`.
  ~BackgroundThread() { stop(); }

  /// What the job throws is dropped. After `stop` it runs inside the call.
  void run(std::function<void()> job);
  /// Returns when all jobs that were given before this call have run; at once in the thread itself.
  void drain();
  /// Runs what is there, and ends the thread.
  void stop();

 private:
  void work();

  const std::string name_;
  Mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> jobs_ TROUPE_GUARDED_BY(mutex_);
  std::uint64_t given_ TROUPE_GUARDED_BY(mutex_) = 0;
  std::uint64_t run_ TROUPE_GUARDED_BY(mutex_) = 0;
  bool stopped_ TROUPE_GUARDED_BY(mutex_) = false;
  std::thread thread_ TROUPE_GUARDED_BY(mutex_);
};

}  // namespace troupe::opencl
