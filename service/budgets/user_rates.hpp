/// Limits how often each user may do something.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <utility>

#include "proto/mutex.hpp"

namespace troupe::service {

/// Each user has a bucket of tokens that fills up at a constant rate; an action takes one token. Thread-safe.
class UserRates {
 public:
  using Clock = std::chrono::steady_clock;

  /// `burst` is the number of actions that a user may do at once after a pause; at least 1.
  UserRates(double per_second, double burst) : per_second_(per_second), burst_(std::max(burst, 1.0)) {}

  /// Returns the time from which the user may do the action. If this time is not later than `now`, the action counts as
  /// done.
  Clock::time_point try_take(std::uint32_t user, Clock::time_point now) {
    const LockGuard lock(mutex_);
    Bucket& bucket = filled(user, now);
    const Clock::time_point when = ready_at(bucket, now);
    if (when <= now) bucket.tokens -= 1;
    return when;
  }
  /// Counts the action as done even if it exceeds the rate. A user who acts too often has to wait longer afterwards,
  /// but at most ten seconds.
  void take_anyway(std::uint32_t user, Clock::time_point now) {
    constexpr double kMostDebt_s = 10;
    const LockGuard lock(mutex_);
    Bucket& bucket = filled(user, now);
    bucket.tokens = std::max(bucket.tokens - 1, -kMostDebt_s * per_second_);
  }
  /// Returns the time from which the user could do the action, without counting an action.
  Clock::time_point ready_at(std::uint32_t user, Clock::time_point now) {
    const LockGuard lock(mutex_);
    return ready_at(filled(user, now), now);
  }
  [[nodiscard]] double per_second() const { return per_second_; }

 private:
  struct Bucket {
    double tokens = 0;
    Clock::time_point at;
  };
  [[nodiscard]] Clock::time_point ready_at(const Bucket& bucket, Clock::time_point now) const {
    if (bucket.tokens >= 1) return now;
    const std::chrono::duration<double> wait((1 - bucket.tokens) / per_second_);
    return now + std::chrono::ceil<Clock::duration>(wait);
  }
  Bucket& filled(std::uint32_t user, Clock::time_point now) TROUPE_REQUIRES(mutex_) {
    // Full buckets are removed: they equal the buckets of users without an entry.
    constexpr std::size_t kMany = 1024;
    if (buckets_.size() > kMany) {
      std::erase_if(buckets_, [&](const auto& one) { return tokens_of(one.second, now) >= burst_; });
    }
    const auto [found, is_new] = buckets_.try_emplace(user, Bucket{burst_, now});
    found->second = {tokens_of(found->second, now), now};
    return found->second;
  }
  [[nodiscard]] double tokens_of(const Bucket& bucket, Clock::time_point now) const {
    const double more = std::chrono::duration<double>(now - bucket.at).count() * per_second_;
    return std::min(burst_, bucket.tokens + std::max(more, 0.0));
  }

  const double per_second_;
  const double burst_;
  Mutex mutex_;
  std::map<std::uint32_t, Bucket> buckets_ TROUPE_GUARDED_BY(mutex_);
};

}  // namespace troupe::service
