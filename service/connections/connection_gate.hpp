/// Lets the connections of each user in at a limited rate.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "platform/files/file_descriptor.hpp"
#include "service/budgets/user_rates.hpp"
#include "service/connections/peer.hpp"

namespace troupe::service {

/// Connections that come faster than their user may make them wait for their turn, behind no other user's. One thread.
class ConnectionGate {
 public:
  using Clock = UserRates::Clock;
  struct Limits {
    double per_second = 50;
    double burst = 200;
    /// Of one user.
    std::size_t most_waiting = 256;
  };
  explicit ConnectionGate(const Limits& limits) : limits_(limits), rates_(limits.per_second, limits.burst) {}

  enum class Entry { now, waits, refused };
  /// `waits`: the gate has taken the connection.
  Entry enter(platform::FileDescriptor& connection, const Peer& peer, Clock::time_point now);

  struct Admitted {
    platform::FileDescriptor connection;
    Peer peer;
  };
  /// Those whose turn has come, but for the ones whose clients have gone meanwhile.
  std::vector<Admitted> due(Clock::time_point now);
  /// When to call `due`; nothing: nobody waits.
  [[nodiscard]] std::optional<Clock::time_point> next_due() const;
  [[nodiscard]] const Limits& limits() const { return limits_; }

 private:
  struct Queue {
    std::deque<Admitted> waiting;
    Clock::time_point due;
  };

  const Limits limits_;
  UserRates rates_;
  /// By user; none is empty.
  std::map<std::uint32_t, Queue> queues_;
};

}  // namespace troupe::service
