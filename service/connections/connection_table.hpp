/// The connections to the service's socket: which user each belongs to, and how many each user has.
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
/// its descriptor ("fd:7"). The number may mean another connection later. So the table also keeps the socket's inode,
/// and believes a number only while the inode is the same. A call keeps its connection, and so the descriptor, open.
/// Thread-safe.
class ConnectionTable {
 public:
  /// Notes a connection before gRPC gets it. Returns false if its user has `most` already; the caller then closes it.
  bool add(int socket, const Peer& peer, std::size_t most);
  /// Returns the peer that makes a call, by gRPC's name of the connection; nothing if that connection was not noted.
  [[nodiscard]] std::optional<Peer> find(std::string_view connection) const;
  /// Shuts a connection down, as if its client had gone; gRPC then closes it.
  void end(std::string_view connection) const;
  /// Returns the number of open connections.
  [[nodiscard]] std::size_t size() const;

 private:
  /// Returns the descriptor in gRPC's name of a connection; -1 if that connection was not noted.
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
