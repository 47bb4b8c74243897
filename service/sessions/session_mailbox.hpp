/// The mailbox through which other threads notify the thread of a session.
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

/// The events since the session's thread last took events.
struct SessionNews {
  std::deque<grpc::ByteBuffer> messages;
  /// True if the client will send no more messages.
  bool received_all = false;
  /// True if the client has gone, or its connection or its memory connection is closed.
  bool gone = false;
  /// True if the last message has been sent or can never be sent.
  bool wrote = false;
  /// The reason to cancel the session's tasks, including later tasks; nothing if they are not cancelled.
  std::optional<Failure> cancel = std::nullopt;
  /// The reason to refuse new tasks and to end the session when the present tasks have ended; nothing if the session
  /// continues.
  std::optional<Failure> drain = std::nullopt;
};

/// Any thread may add news; one thread takes them.
class SessionMailbox {
 public:
  /// Wakes the session's thread without news, because the session itself has work to do.
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
  /// Waits for news, but not longer than `until`, and takes them.
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
