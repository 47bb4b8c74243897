/// The thread that accepts connections.
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
  /// Receives a connection that one socket has accepted from an admitted peer; the descriptor is non-blocking and
  /// closed at exec. Takes the descriptor, or returns the reason why it refuses the connection.
  using Handler = std::function<std::optional<std::string>(platform::FileDescriptor&, const Peer&)>;
  /// A listening socket, and the functions for its connections.
  struct Place {
    platform::FileDescriptor socket;
    Handler handler;
    /// Returns the bytes to send to a client of this socket whose connection is refused for `reason`.
    std::function<std::string(std::string_view reason)> refusal;
    /// Returns the time from which a user may have another connection to this socket. Null if only the limits on rates
    /// apply.
    ConnectionGate::ReadyAt ready_at = nullptr;
  };

  /// Handlers are called by the acceptor's thread, one at a time. `log` may be empty.
  static Result<std::unique_ptr<Acceptor>> start(std::vector<Place> places, const AccessRule& rule,
                                                 const ConnectionGate::Limits& limits, LogSink log);
  /// Stops accepting connections. When the destructor returns, no handler is running.
  ~Acceptor();
  Acceptor(const Acceptor&) = delete;
  Acceptor& operator=(const Acceptor&) = delete;

 private:
  using Clock = ConnectionGate::Clock;
  /// A place, and the gate that limits the rate of its connections for each user.
  struct Door {
    Place place;
    std::unique_ptr<ConnectionGate> gate;
  };
  Acceptor(std::vector<Place> places, const AccessRule& rule, const ConnectionGate::Limits& limits, LogSink log,
           platform::FileDescriptor stop);
  void run();
  /// The result of accepting the connections of a place. `flood`: there were many connections, and most were not let
  /// in; new connections then stay in the socket's queue for a moment, where they cost nothing. `full`: the process has
  /// no room for more connections.
  enum class Rush { none, flood, full };
  /// Returns the longest time in milliseconds to wait for new connections; -1 means for ever. `most` is the worst rush
  /// of all places.
  [[nodiscard]] int patience_ms(Rush most) const;
  /// Accepts the connections that wait at one place.
  Rush accept(Door& door);
  /// Returns true if the connection was let in.
  bool admit(Door& door, platform::FileDescriptor connection);
  void hand_over(Door& door, platform::FileDescriptor connection, const Peer& peer);
  /// Passes connections whose turn has come to their handlers, and closes refused connections whose time is over.
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
