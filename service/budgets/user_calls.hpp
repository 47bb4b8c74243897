/// Calls that each user makes, and answers that he has not read.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "proto/errors.hpp"
#include "proto/mutex.hpp"
#include "proto/units.hpp"
#include "service/budgets/user_rates.hpp"

namespace troupe::service {

/// Thread-safe.
class UserCalls {
 public:
  using Clock = UserRates::Clock;
  struct Limits {
    double per_second = 1000;
    Bytes unread = {64ULL << 20U};
    /// Calls that have not been answered, or whose answers have not been read.
    std::uint64_t most_open = 512;
  };
  explicit UserCalls(const Limits& limits);

  struct Refusal {
    Failure why;
    /// The user goes on calling though he has been told: his connection is to be ended.
    bool ends_connection = false;
  };
  /// Nothing: the call is open until `done`.
  std::optional<Refusal> begin(std::uint32_t user, Clock::time_point now);
  /// When the user should bring more calls: not later than now, or a time to ask again, while he makes as many as he
  /// may or does not read the answers.
  Clock::time_point ready_at(std::uint32_t user, Clock::time_point now);
  /// So many bytes of an answer are on their way.
  void answered(std::uint32_t user, std::uint64_t bytes);
  /// The call has ended, and an answer of so many bytes has been read or never will be.
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
  /// Of all calls, answered or refused: these take as long.
  UserRates arrivals_;
  Mutex mutex_;
  /// By user; none without calls.
  std::map<std::uint32_t, Open> open_ TROUPE_GUARDED_BY(mutex_);
};

}  // namespace troupe::service
