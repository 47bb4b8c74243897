/// The thread that takes connections.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "platform/files/file_descriptor.hpp"
#include "service/budgets/user_rates.hpp"
#include "service/configuration/event_log.hpp"
#include "service/connections/connection_gate.hpp"
#include "service/connections/peer.hpp"
#include "service/connections/refusals.hpp"
#include "troupe/errors.hpp"

namespace troupe::service {

class Acceptor {
 public:
  /// Gets the connections of admitted peers to one socket: non-blocking, closed at exec. Returns the reason if it has
  /// not taken the connection.
  using Handler = std::function<std::optional<std::string>(platform::FileDescriptor&, const Peer&)>;
  struct Place {
    platform::FileDescriptor socket;
    Handler handler;
    /// Returns the message for a client of this socket who is refused for `reason`.
    std::function<std::string(std::string_view reason)> refusal;
    /// Returns when a user may have another connection here. Null if only the rate limits count.
    ConnectionGate::ReadyAt ready_at = nullptr;
  };

  /// Handlers are called by the acceptor's thread, one at a time. `log` may be empty.
  static Result<std::unique_ptr<Acceptor>> start(std::vector<Place> places, const AccessRule& rule,
                                                 const ConnectionGate::Limits& limits, LogSink log);
  /// Stops taking connections. When this returns, no handler is running.
  ~Acceptor();
  Acceptor(const Acceptor&) = delete;
  Acceptor& operator=(const Acceptor&) = delete;

 private:
  using Clock = ConnectionGate::Clock;
  /// A place, and the gate at which its connections wait for their turn.
  struct Door {
    Place place;
    std::unique_ptr<ConnectionGate> gate;
  };
  Acceptor(std::vector<Place> places, const AccessRule& rule, const ConnectionGate::Limits& limits, LogSink log,
           platform::FileDescriptor stop);
  void run();
  /// The result of taking connections at a place. `flood`: most of many connections were not let in, so new ones wait
  /// in the queue of the socket for a moment, where they cost nothing. `full`: the process has no room for more
  /// connections.
  enum class Rush { none, flood, full };
  /// Returns the time in milliseconds for which there is nothing to do if no connection comes; -1 means for ever.
  /// `most` is the worst rush of all places.
  [[nodiscard]] int patience_ms(Rush most) const;
  /// Takes the connections that wait at one place.
  Rush accept(Door& door);
  /// Returns true if the connection was let in.
  bool admit(Door& door, platform::FileDescriptor connection);
  void hand_over(Door& door, platform::FileDescriptor connection, const Peer& peer);
  /// Hands over the connections whose turn has come, and closes refused ones whose time is over.
  void look_after_waiting();
  void tell_refused(const Peer& peer, const std::string& why);

  std::vector<Door> doors_;
  Refusals refusals_;
  /// Limits the rate at which refusals are logged, for each user.
  UserRates told_{1, 1};
  const AccessRule rule_;
  const LogSink log_;
  platform::FileDescriptor stop_;
  std::thread thread_;
};

}  // namespace troupe::service
