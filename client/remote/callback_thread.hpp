/// The thread in which a client's callbacks run.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <thread>

#include "client/remote/task_ledger.hpp"
#include "proto/mutex.hpp"

namespace troupe::remote {

/// Calls what it is given, one after the other, in a thread that it starts for the first. Thread-safe.
class CallbackThread {
 public:
  /// `call`: what to do with each; it must not throw.
  explicit CallbackThread(std::function<void(TaskLedger::DueCallback&)> call) : call_(std::move(call)) {}
  ~CallbackThread() { stop(); }
  CallbackThread(const CallbackThread&) = delete;
  CallbackThread& operator=(const CallbackThread&) = delete;

  void add(TaskLedger::DueCallback due);
  /// Calls what is left, and waits until it has returned. Nothing may be added any more.
  void stop();

 private:
  void run();

  const std::function<void(TaskLedger::DueCallback&)> call_;
  Mutex mutex_;
  std::condition_variable changed_;
  std::deque<TaskLedger::DueCallback> due_ TROUPE_GUARDED_BY(mutex_);
  bool stop_ TROUPE_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace troupe::remote
