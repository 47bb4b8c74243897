/// The connections to the service's socket: whose they are, and how many each user has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>

#include "proto/mutex.hpp"
#include "service/connections/peer.hpp"

namespace troupe::service {

/// gRPC owns the descriptors of connections, closes them when it likes, and names a call's connection by the number of
/// its descriptor ("fd:7"). A number may mean another connection later, so the table keeps the socket's inode with it,
/// and believes a number only while the socket is still that one: a call keeps its connection, and so the descriptor,
/// open. Thread-safe.
class ConnectionTable {
 public:
  /// Notes a connection before gRPC gets it. False: its user has `most` already, and it is to be closed.
  bool add(int socket, const Peer& peer, std::size_t most);
  /// Finds the peer that makes a call, by gRPC's name of his connection. Returns nothing if that connection was not
  /// noted.
  [[nodiscard]] std::optional<Peer> find(std::string_view connection) const;
  /// Ends a connection, as if its client had gone: gRPC closes it then.
  void end(std::string_view connection) const;
  /// Connections that are open.
  [[nodiscard]] std::size_t size() const;

 private:
  /// The descriptor of what gRPC calls a connection; -1: none that was noted.
  [[nodiscard]] int descriptor_of(std::string_view connection) const TROUPE_REQUIRES(mutex_);
  struct Connection {
    std::uint64_t inode = 0;
    Peer peer;
  };

  mutable Mutex mutex_;
  /// The connections by descriptor; some may have been closed.
  std::map<int, Connection> connections_ TROUPE_GUARDED_BY(mutex_);
};

}  // namespace troupe::service
