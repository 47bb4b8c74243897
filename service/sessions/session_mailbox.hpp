/// The mailbox through which others reach the thread of a session.
#pragma once

#include <grpcpp/support/byte_buffer.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <optional>
#include <utility>

#include "proto/mutex.hpp"
#include "troupe/errors.hpp"

namespace troupe::service {

/// The events since the session's thread last looked.
struct SessionNews {
  std::deque<grpc::ByteBuffer> messages;
  /// The client sends no more.
  bool received_all = false;
  /// The client, its connection, or that of its memory is gone.
  bool gone = false;
  /// A message has gone out, or never will.
  bool wrote = false;
  /// Cancel the session's tasks and those that come, for this reason.
  std::optional<Failure> cancel = std::nullopt;
  /// Take no more tasks, and say goodbye when those that are there have ended.
  std::optional<Failure> drain = std::nullopt;
};

/// Any thread adds, one takes.
class SessionMailbox {
 public:
  /// There is something to do that the session itself knows of.
  void wake() {
    change([](SessionNews&) {});
  }
  template <class Change>
  void change(const Change& how) {
    const LockGuard lock(mutex_);
    how(news_);
    if (std::exchange(any_, true)) return;
    arrived_.notify_one();
  }
  /// Waits for news until then.
  SessionNews take(std::chrono::steady_clock::time_point until) {
    UniqueLock lock(mutex_);
    arrived_.wait_until(lock, until, [this]() TROUPE_REQUIRES(mutex_) { return any_; });
    return take_locked();
  }
  SessionNews take() {
    UniqueLock lock(mutex_);
    arrived_.wait(lock, [this]() TROUPE_REQUIRES(mutex_) { return any_; });
    return take_locked();
  }

 private:
  SessionNews take_locked() TROUPE_REQUIRES(mutex_) {
    any_ = false;
    return std::exchange(news_, {});
  }

  Mutex mutex_;
  std::condition_variable arrived_;
  bool any_ TROUPE_GUARDED_BY(mutex_) = false;
  SessionNews news_ TROUPE_GUARDED_BY(mutex_);
};

}  // namespace troupe::service
