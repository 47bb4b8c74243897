/// A thread that runs functions for threads that must not run them, such as callbacks of the program.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <string>
#include <thread>
#include <utility>

#include "proto/mutex.hpp"

namespace troupe::platform {

/// Runs jobs one after the other, in the order of arrival. The thread starts with the first job. Thread-safe.
class BackgroundThread {
 public:
  /// `name` is the thread's name in debuggers.
  explicit BackgroundThread(std::string name) : name_(std::move(name)) {}
  BackgroundThread(const BackgroundThread&) = delete;
  BackgroundThread& operator=(const BackgroundThread&) = delete;
  /// Ends the thread as `stop` does.
  ~BackgroundThread() { stop(); }

  /// Adds a job. Exceptions of the job are ignored. After `stop`, the job runs inside the call.
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
