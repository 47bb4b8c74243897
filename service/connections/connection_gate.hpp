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

/// Connections that come faster than their user may make them wait for their turn, but never behind another user's.
/// They also wait while their user has used up other limits (`ReadyAt`): each connection brings calls, which cost most
/// once a library reads them. Only one thread may use a gate.
class ConnectionGate {
 public:
  using Clock = UserRates::Clock;
  struct Limits {
    double per_second = 50;
    double burst = 200;
    /// The most connections of one user that wait.
    std::size_t most_waiting = 256;
    /// The time between two connections of one user, so that the calls of the first one can be counted.
    std::chrono::milliseconds gap{0};
  };
  /// Returns when a user may have another connection by other limits: `now` or earlier if at once, else when to ask
  /// again.
  using ReadyAt = std::function<Clock::time_point(std::uint32_t user, Clock::time_point now)>;
  /// `ready_at` may be null.
  explicit ConnectionGate(const Limits& limits, ReadyAt ready_at = nullptr)
      : limits_(limits), ready_at_(std::move(ready_at)), rates_(limits.per_second, limits.burst) {}

  enum class Entry { now, waits, refused, gone };
  /// `now`: the caller keeps the connection, which is let in. `waits`: the gate has taken it. `gone`: its client has
  /// closed it.
  Entry enter(platform::FileDescriptor& connection, const Peer& peer, Clock::time_point now);

  struct Admitted {
    platform::FileDescriptor connection;
    Peer peer;
  };
  /// Returns the connections whose turn has come, except those whose clients have gone meanwhile.
  std::vector<Admitted> due(Clock::time_point now);
  /// Returns the time at which to call `due`; nothing if no connection waits.
  [[nodiscard]] std::optional<Clock::time_point> next_due() const;
  [[nodiscard]] const Limits& limits() const { return limits_; }

 private:
  struct Queue {
    std::deque<Admitted> waiting;
    Clock::time_point due;
  };

  /// Lets the user's next connection in and returns a time not later than `now`; else returns when to ask again.
  Clock::time_point try_admit(std::uint32_t user, Clock::time_point now);

  const Limits limits_;
  const ReadyAt ready_at_;
  UserRates rates_;
  /// The times at which users were last let in; only users for whom the gap has not passed.
  std::map<std::uint32_t, Clock::time_point> last_;
  /// The queues by user. No queue is empty.
  std::map<std::uint32_t, Queue> queues_;
};

}  // namespace troupe::service
