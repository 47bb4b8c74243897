/// A thread for questions that take a while, so that gRPC's threads go on moving bytes.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <thread>
#include <utility>

#include "proto/mutex.hpp"

namespace troupe::service {

/// Answers one question after the other, of each user in turn: one who asks a lot waits for himself. Thread-safe.
class Desk {
 public:
  /// Questions of one user that may wait.
  static constexpr std::size_t kMostWaiting = 256;

  Desk() : thread_([this] { run(); }) {}
  /// Answers what waits.
  ~Desk() {
    {
      const LockGuard lock(mutex_);
      stopping_ = true;
    }
    arrived_.notify_one();
    thread_.join();
  }
  Desk(const Desk&) = delete;
  Desk& operator=(const Desk&) = delete;

  /// False: too many of this user wait, and this one is not answered. `answer` must not throw.
  bool ask(std::uint32_t user, std::function<void()> answer) {
    {
      const LockGuard lock(mutex_);
      std::deque<std::function<void()>>& waiting = waiting_[user];
      if (waiting.size() >= kMostWaiting) return false;
      if (waiting.empty()) turns_.push_back(user);
      waiting.push_back(std::move(answer));
    }
    arrived_.notify_one();
    return true;
  }

 private:
  void run() {
    UniqueLock lock(mutex_);
    for (;;) {
      arrived_.wait(lock, [this]() TROUPE_REQUIRES(mutex_) { return stopping_ || !turns_.empty(); });
      if (turns_.empty()) return;
      const std::function<void()> answer = take();
      lock.unlock();
      answer();
      lock.lock();
    }
  }

  /// Of the user whose turn it is. Requires that somebody waits.
  std::function<void()> take() TROUPE_REQUIRES(mutex_) {
    const auto found = waiting_.find(turns_.front());
    turns_.pop_front();
    std::function<void()> answer = std::move(found->second.front());
    found->second.pop_front();
    if (found->second.empty()) {
      waiting_.erase(found);
    } else {
      turns_.push_back(found->first);
    }
    return answer;
  }

  Mutex mutex_;
  std::condition_variable arrived_;
  bool stopping_ TROUPE_GUARDED_BY(mutex_) = false;
  std::map<std::uint32_t, std::deque<std::function<void()>>> waiting_ TROUPE_GUARDED_BY(mutex_);  // none is empty
  std::deque<std::uint32_t> turns_ TROUPE_GUARDED_BY(mutex_);                                     // users who wait
  std::thread thread_;
};

}  // namespace troupe::service
