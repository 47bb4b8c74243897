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

/// Finds the peer that makes a call. gRPC owns the descriptors of connections, closes them at any time, and names a
/// call's connection only by the number of its descriptor ("fd:7"). Later the same number may mean another connection.
/// The table therefore also keeps the socket's inode, and accepts a number only while the inode is the same. A running
/// call keeps its connection, and so the descriptor, open. Thread-safe.
class ConnectionTable {
 public:
  /// Adds a connection before gRPC gets it. Returns false if its user has `most` connections already; the caller then
  /// closes the new connection.
  bool add(int socket, const Peer& peer, std::size_t most);
  /// Returns the peer that makes a call, by gRPC's name of the connection; nothing if that connection is not in the
  /// table.
  [[nodiscard]] std::optional<Peer> find(std::string_view connection) const;
  /// Shuts a connection down as if its client had closed it; gRPC then closes the descriptor.
  void end(std::string_view connection) const;
  /// Returns the number of open connections.
  [[nodiscard]] std::size_t size() const;

 private:
  /// Returns the descriptor in gRPC's name of a connection; -1 if that connection is not in the table.
  [[nodiscard]] int descriptor_of(std::string_view connection) const TROUPE_REQUIRES(mutex_);
  struct Connection {
    std::uint64_t inode = 0;
    Peer peer;
  };

  mutable Mutex mutex_;
  /// The connections by descriptor. Some of them may have been closed.
  std::map<int, Connection> connections_ TROUPE_GUARDED_BY(mutex_);
};

}  // namespace troupe::service
