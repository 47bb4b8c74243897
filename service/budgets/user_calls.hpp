/// Limits the calls of each user, and the bytes of answers that the user has not read.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "proto/mutex.hpp"
#include "service/budgets/user_rates.hpp"
#include "troupe/errors.hpp"
#include "troupe/units.hpp"

namespace troupe::service {

/// The calls and unread answers of all users. Thread-safe.
class UserCalls {
 public:
  using Clock = UserRates::Clock;
  struct Limits {
    double per_second = 1000;
    Bytes unread = {64ULL << 20U};
    /// The limit for open calls of one user: calls without an answer, and calls whose answer the user has not read.
    std::uint64_t most_open = 512;
  };
  explicit UserCalls(const Limits& limits);

  struct Refusal {
    Failure why;
    /// True if the user's calls have been refused too often: the caller of `begin` then ends the user's connection.
    bool ends_connection = false;
  };
  /// Returns why a call is refused; nothing if the call may proceed. A call that may proceed counts as open until
  /// `done`.
  std::optional<Refusal> begin(std::uint32_t user, Clock::time_point now);
  /// Returns the time from which the user may make more calls; `now` or earlier means at once. If the user has more
  /// than half of the allowed open calls or unread bytes, the result is the time at which to ask this function again.
  Clock::time_point ready_at(std::uint32_t user, Clock::time_point now);
  /// Counts `bytes` of an answer that is being sent.
  void answered(std::uint32_t user, std::uint64_t bytes);
  /// Ends the count of a call and of its answer of `bytes`: the user has read the answer or never will.
  void done(std::uint32_t user, std::uint64_t bytes);

 private:
  struct Open {
    std::uint64_t calls = 0;
    std::uint64_t bytes = 0;
  };
  std::optional<Failure> why_not(std::uint32_t user, Clock::time_point now) TROUPE_REQUIRES(mutex_);

  const Limits limits_;
  UserRates rates_;
  UserRates refusals_;
  /// The rate of all calls, answered or refused, because a refused call takes as much time as an answered call.
  UserRates arrivals_;
  Mutex mutex_;
  /// The users with open calls, by the user's number.
  std::map<std::uint32_t, Open> open_ TROUPE_GUARDED_BY(mutex_);
};

}  // namespace troupe::service
