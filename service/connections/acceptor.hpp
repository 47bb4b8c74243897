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
  /// Gets the connections of admitted peers to one socket: non-blocking, closed at exec. What it returns is why it has
  /// not taken one.
  using Handler = std::function<std::optional<std::string>(platform::FileDescriptor&, const Peer&)>;
  struct Place {
    platform::FileDescriptor socket;
    Handler handler;
    /// Returns the message for a client of this socket who is refused for `reason`.
    std::function<std::string(std::string_view reason)> refusal;
    /// When a user may have another connection here; null: as often as the limits let him.
    ConnectionGate::ReadyAt ready_at = nullptr;
  };

  /// Handlers are called by the acceptor's thread, one at a time. `log` may be empty.
  static Result<std::unique_ptr<Acceptor>> start(std::vector<Place> places, const AccessRule& rule,
                                                 const ConnectionGate::Limits& limits, LogSink log);
  /// Takes no more; when it returns, no handler is running.
  ~Acceptor();
  Acceptor(const Acceptor&) = delete;
  Acceptor& operator=(const Acceptor&) = delete;

 private:
  using Clock = ConnectionGate::Clock;
  /// A place with those who wait for their turn there.
  struct Door {
    Place place;
    std::unique_ptr<ConnectionGate> gate;
  };
  Acceptor(std::vector<Place> places, const AccessRule& rule, const ConnectionGate::Limits& limits, LogSink log,
           platform::FileDescriptor stop);
  void run();
  /// The consequence of the last look at a place for the next one. `flood`: so many come that are not let in that they
  /// have to wait in the queue of the socket for a moment, where they cost nothing. `full`: the process has no room for
  /// more.
  enum class Rush { none, flood, full };
  /// Returns the time for which there is nothing to do if no connection comes, in milliseconds; -1: for ever. `most`:
  /// of all places.
  [[nodiscard]] int patience_ms(Rush most) const;
  /// Takes what waits at one place.
  Rush accept(Door& door);
  /// True: the connection was let in.
  bool admit(Door& door, platform::FileDescriptor connection);
  void hand_over(Door& door, platform::FileDescriptor connection, const Peer& peer);
  /// Looks after the connections that have waited for their turn, and those that were refused.
  void look_after_waiting();
  void tell_refused(const Peer& peer, const std::string& why);

  std::vector<Door> doors_;
  Refusals refusals_;
  /// Refusals are logged at this rate, for each user.
  UserRates told_{1, 1};
  const AccessRule rule_;
  const LogSink log_;
  platform::FileDescriptor stop_;
  std::thread thread_;
};

}  // namespace troupe::service
