/// A thread that answers clients' slow questions, so that gRPC's threads can continue to move bytes.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <thread>
#include <utility>

#include "proto/mutex.hpp"
#include "service/budgets/user_time.hpp"

namespace troupe::service {

/// Answers one question after the other, from each user in turn. A user who asks much delays only that user's own
/// questions, and uses at most a tenth of a core on average. Thread-safe.
class Desk {
 public:
  /// The limit for waiting questions of one user.
  static constexpr std::size_t kMostWaiting = 256;
  /// `kCores` is the number of cores that each user may use on average, `kAtOnce` the processor time that a user may
  /// use at once.
  static constexpr double kCores = 0.1;
  static constexpr Duration kAtOnce = std::chrono::milliseconds(200);

  Desk() : thread_([this] { run(); }) {}
  /// Answers the waiting questions, then ends the thread.
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

  /// Adds a question. Returns false, without adding it, if too many questions of this user wait. `answer` must not
  /// throw.
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
  using Clock = UserTime::Clock;
  struct Turn {
    std::uint32_t user = 0;
    std::function<void()> answer;
  };

  void run() {
    UniqueLock lock(mutex_);
    for (;;) {
      arrived_.wait(lock, [this]() TROUPE_REQUIRES(mutex_) { return stopping_ || !turns_.empty(); });
      if (turns_.empty()) return;
      Clock::time_point earliest;
      const std::optional<Turn> turn = take(earliest);
      if (!turn) {
        // All waiting users have used up their time. Wait until the first of them has time again, or another user asks.
        arrived_.wait_until(lock, earliest);
        continue;
      }
      lock.unlock();
      const Duration before = thread_time();
      turn->answer();
      time_.spend(turn->user, thread_time() - before, Clock::now());
      lock.lock();
    }
  }

  /// Takes a question of the next user who has processor time left. If no user has time left, returns nothing and sets
  /// `earliest` to the time at which the first user will have some. Requires that a question waits.
  std::optional<Turn> take(Clock::time_point& earliest) TROUPE_REQUIRES(mutex_) {
    const Clock::time_point now = Clock::now();
    earliest = Clock::time_point::max();
    for (auto user = turns_.begin(); user != turns_.end(); ++user) {
      const Clock::time_point ready = stopping_ ? now : time_.ready_at(*user, now);
      earliest = std::min(earliest, ready);
      if (ready > now) continue;
      const auto found = waiting_.find(*user);
      turns_.erase(user);
      Turn turn{found->first, std::move(found->second.front())};
      found->second.pop_front();
      if (found->second.empty()) {
        waiting_.erase(found);
      } else {
        turns_.push_back(found->first);
      }
      return turn;
    }
    return std::nullopt;
  }

  UserTime time_{kCores, kAtOnce};
  Mutex mutex_;
  std::condition_variable arrived_;
  bool stopping_ TROUPE_GUARDED_BY(mutex_) = false;
  /// The waiting questions by user. No queue is empty.
  std::map<std::uint32_t, std::deque<std::function<void()>>> waiting_ TROUPE_GUARDED_BY(mutex_);
  /// The users with waiting questions, in the order of their turns.
  std::deque<std::uint32_t> turns_ TROUPE_GUARDED_BY(mutex_);
  std::thread thread_;
};

}  // namespace troupe::service
