/// Lets the connections of each user in at a limited rate.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "platform/files/file_descriptor.hpp"
#include "service/budgets/user_rates.hpp"
#include "service/connections/peer.hpp"

namespace troupe::service {

/// Connections that come faster than their user may make them wait for their turn, behind no other user's. So they do
/// while their user has used up what else he may have: each brings calls, which cost most once a library reads them.
/// One thread.
class ConnectionGate {
 public:
  using Clock = UserRates::Clock;
  struct Limits {
    double per_second = 50;
    double burst = 200;
    /// The most connections of one user that wait.
    std::size_t most_waiting = 256;
    /// Between two of one user, so that it can be seen what they bring.
    std::chrono::milliseconds gap{0};
  };
  /// When a user may have another connection as far as others know: not later than `now`, or a time to ask again.
  using ReadyAt = std::function<Clock::time_point(std::uint32_t user, Clock::time_point now)>;
  /// `ready_at` may be null.
  explicit ConnectionGate(const Limits& limits, ReadyAt ready_at = nullptr)
      : limits_(limits), ready_at_(std::move(ready_at)), rates_(limits.per_second, limits.burst) {}

  enum class Entry { now, waits, refused, gone };
  /// `waits`: the gate has taken the connection; `gone`: its client has closed it.
  Entry enter(platform::FileDescriptor& connection, const Peer& peer, Clock::time_point now);

  struct Admitted {
    platform::FileDescriptor connection;
    Peer peer;
  };
  /// Returns the connections whose turn has come, except those whose clients have gone meanwhile.
  std::vector<Admitted> due(Clock::time_point now);
  /// When to call `due`; nothing: nobody waits.
  [[nodiscard]] std::optional<Clock::time_point> next_due() const;
  [[nodiscard]] const Limits& limits() const { return limits_; }

 private:
  struct Queue {
    std::deque<Admitted> waiting;
    Clock::time_point due;
  };

  /// Not later than now: the user's next connection is let in.
  Clock::time_point try_admit(std::uint32_t user, Clock::time_point now);

  const Limits limits_;
  const ReadyAt ready_at_;
  UserRates rates_;
  /// When users were let in, of those for whom the gap has not passed.
  std::map<std::uint32_t, Clock::time_point> last_;
  /// The queues by user; none is empty.
  std::map<std::uint32_t, Queue> queues_;
};

}  // namespace troupe::service
