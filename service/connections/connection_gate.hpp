/// Limits the rate at which each user's connections are let in.
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

/// A queue per user. If a user connects faster than allowed, the connections wait in that user's queue, never behind
/// connections of other users. Connections also wait while the user has used up other limits (`ReadyAt`): each
/// connection brings calls, and gRPC spends most of the time for a call as soon as it reads the call.
class ConnectionGate {
 public:
  using Clock = UserRates::Clock;
  struct Limits {
    double per_second = 50;
    double burst = 200;
    /// The limit for waiting connections of one user.
    std::size_t most_waiting = 256;
    /// The least time between two connections of one user, so that the calls of the earlier connection can be counted.
    std::chrono::milliseconds gap{0};
  };
  /// Returns the time from which other limits allow the user another connection. A result later than `now` is the time
  /// at which to call this function again.
  using ReadyAt = std::function<Clock::time_point(std::uint32_t user, Clock::time_point now)>;
  /// `ready_at` may be null.
  explicit ConnectionGate(const Limits& limits, ReadyAt ready_at = nullptr)
      : limits_(limits), ready_at_(std::move(ready_at)), rates_(limits.per_second, limits.burst) {}

  enum class Entry { now, waits, refused, gone };
  /// Returns `now` if the connection is let in: the caller keeps the connection. `waits`: the gate has taken the
  /// connection. `refused`: too many connections of the user wait. `gone`: the client has closed the connection.
  Entry enter(platform::FileDescriptor& connection, const Peer& peer, Clock::time_point now);

  struct Admitted {
    platform::FileDescriptor connection;
    Peer peer;
  };
  /// Returns the connections whose turn has come. Connections that their clients have closed meanwhile are dropped.
  std::vector<Admitted> due(Clock::time_point now);
  /// Returns the time at which to call `due`; nothing if no connection waits.
  [[nodiscard]] std::optional<Clock::time_point> next_due() const;
  [[nodiscard]] const Limits& limits() const { return limits_; }

 private:
  struct Queue {
    std::deque<Admitted> waiting;
    Clock::time_point due;
  };

  /// If the user's next connection may be let in, counts it and returns a time not later than `now`. Otherwise returns
  /// the time at which to call again.
  Clock::time_point try_admit(std::uint32_t user, Clock::time_point now);

  const Limits limits_;
  const ReadyAt ready_at_;
  UserRates rates_;
  /// The time of each user's last admitted connection. Entries older than the gap are removed.
  std::map<std::uint32_t, Clock::time_point> last_;
  /// The queues by user. No queue is empty.
  std::map<std::uint32_t, Queue> queues_;
};

}  // namespace troupe::service
