/// A thread that does work for threads that must not do it themselves, such as calls of a program's functions.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <string>
#include <thread>
#include <utility>

#include "proto/mutex.hpp"

namespace troupe::platform {

/// Runs jobs one after the other, in the order in which they came. The thread starts with the first job. Thread-safe.
class BackgroundThread {
 public:
  /// `name` is for debuggers.
  explicit BackgroundThread(std::string name) : name_(std::move(name)) {}
  BackgroundThread(const BackgroundThread&) = delete;
  BackgroundThread& operator=(const BackgroundThread&) = delete;
  /// Stops the thread, like `stop`.
  ~BackgroundThread() { stop(); }

  /// Adds a job. Exceptions of the job are dropped. After `stop`, the job runs inside the call.
  void run(std::function<void()> job);
  /// Runs the waiting jobs, and ends the thread.
  void stop();

 private:
  void work();

  const std::string name_;
  Mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> jobs_ TROUPE_GUARDED_BY(mutex_);
  bool stopped_ TROUPE_GUARDED_BY(mutex_) = false;
  std::thread thread_ TROUPE_GUARDED_BY(mutex_);
};

}  // namespace troupe::platform
