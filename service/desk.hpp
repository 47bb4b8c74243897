/// A thread for questions that take a while, so that gRPC's threads go on moving bytes.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

namespace troupe::service {

/// Answers one question after the other. Thread-safe.
class Desk {
 public:
  /// Questions that may wait.
  static constexpr std::size_t kMostWaiting = 1024;

  Desk() : thread_([this] { run(); }) {}
  /// Answers what waits.
  ~Desk() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    arrived_.notify_one();
    thread_.join();
  }
  Desk(const Desk&) = delete;
  Desk& operator=(const Desk&) = delete;

  /// False: too many wait, and this one is not answered. `answer` must not throw.
  bool ask(std::function<void()> answer) {
    {
      const std::lock_guard lock(mutex_);
      if (waiting_.size() >= kMostWaiting) return false;
      waiting_.push_back(std::move(answer));
    }
    arrived_.notify_one();
    return true;
  }

 private:
  void run() {
    std::unique_lock lock(mutex_);
    for (;;) {
      arrived_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
      if (waiting_.empty()) return;
      const std::function<void()> answer = std::move(waiting_.front());
      waiting_.pop_front();
      lock.unlock();
      answer();
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable arrived_;
  bool stopping_ = false;                      // mutex_
  std::deque<std::function<void()>> waiting_;  // mutex_
  std::thread thread_;
};

}  // namespace troupe::service
