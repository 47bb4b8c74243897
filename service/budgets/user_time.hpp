/// The processor time that a service spends for each user outside of the user's kernels.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <map>

#include "proto/mutex.hpp"
#include "troupe/units.hpp"

namespace troupe::service {

/// Limits each user to a number of cores, which may be below one. A user who has used more has to wait. Thread-safe.
class UserTime {
 public:
  using Clock = std::chrono::steady_clock;

  /// A user may use `cores` cores on average. `burst` is the processor time that a user may spend at once after a
  /// pause.
  UserTime(double cores, Duration burst) : cores_(cores), burst_s_(seconds(burst)) {}

  /// Returns the time from which the user may use the processor again: `now` if the user has not exceeded the limit.
  Clock::time_point ready_at(std::uint32_t user, Clock::time_point now) {
    const LockGuard lock(mutex_);
    const double left_s = filled(user, now).left_s;
    if (left_s >= 0) return now;
    return now + std::chrono::ceil<Clock::duration>(std::chrono::duration<double>(-left_s / cores_));
  }
  void spend(std::uint32_t user, Duration time, Clock::time_point now) {
    const LockGuard lock(mutex_);
    filled(user, now).left_s -= seconds(time);
  }

 private:
  struct Account {
    double left_s = 0;
    Clock::time_point at;
  };
  [[nodiscard]] double left_of(const Account& account, Clock::time_point now) const {
    const double passed_s = std::chrono::duration<double>(now - account.at).count();
    return std::min(burst_s_, account.left_s + std::max(passed_s, 0.0) * cores_);
  }
  Account& filled(std::uint32_t user, Clock::time_point now) TROUPE_REQUIRES(mutex_) {
    // Full accounts are removed: they equal the accounts of users without an entry.
    constexpr std::size_t kMany = 1024;
    if (accounts_.size() > kMany) {
      std::erase_if(accounts_, [&](const auto& one) { return left_of(one.second, now) >= burst_s_; });
    }
    Account& account = accounts_.try_emplace(user, Account{burst_s_, now}).first->second;
    account = {left_of(account, now), now};
    return account;
  }

  const double cores_;
  const double burst_s_;
  Mutex mutex_;
  std::map<std::uint32_t, Account> accounts_ TROUPE_GUARDED_BY(mutex_);
};

/// Returns the processor time of the calling thread.
[[nodiscard]] inline Duration thread_time() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

}  // namespace troupe::service
