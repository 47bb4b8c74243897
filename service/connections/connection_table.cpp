#include "service/connections/connection_table.hpp"

#include <sys/socket.h>
#include <sys/stat.h>

#include <charconv>
#include <system_error>

namespace troupe::service {
namespace {

/// Returns the inode of a socket; 0 if the descriptor is not a socket.
std::uint64_t inode_of(int socket) {
  struct stat status {};
  return ::fstat(socket, &status) == 0 && S_ISSOCK(status.st_mode) ? status.st_ino : 0;
}

}  // namespace

bool ConnectionTable::add(int socket, const Peer& peer, std::size_t most) {
  const LockGuard lock(mutex_);
  std::size_t same_user = 0;
  for (auto it = connections_.begin(); it != connections_.end();) {
    if (it->first == socket || inode_of(it->first) != it->second.inode) {
      it = connections_.erase(it);
    } else {
      same_user += it->second.peer.user == peer.user ? 1 : 0;
      ++it;
    }
  }
  if (same_user >= most) return false;
  connections_[socket] = {inode_of(socket), peer};
  return true;
}

int ConnectionTable::descriptor_of(std::string_view connection) const {
  constexpr std::string_view prefix = "fd:";
  if (!connection.starts_with(prefix)) return -1;
  connection.remove_prefix(prefix.size());
  int socket = -1;
  const auto [end, error] = std::from_chars(connection.data(), connection.data() + connection.size(), socket);
  if (error != std::errc() || end != connection.data() + connection.size()) return -1;
  const auto found = connections_.find(socket);
  return found != connections_.end() && inode_of(socket) == found->second.inode ? socket : -1;
}

std::optional<Peer> ConnectionTable::find(std::string_view connection) const {
  const LockGuard lock(mutex_);
  const int socket = descriptor_of(connection);
  if (socket < 0) return std::nullopt;
  return connections_.find(socket)->second.peer;
}

void ConnectionTable::end(std::string_view connection) const {
  const LockGuard lock(mutex_);
  if (const int socket = descriptor_of(connection); socket >= 0) ::shutdown(socket, SHUT_RDWR);
}

std::size_t ConnectionTable::size() const {
  const LockGuard lock(mutex_);
  std::size_t open = 0;
  for (const auto& [socket, connection] : connections_) open += inode_of(socket) == connection.inode ? 1 : 0;
  return open;
}

}  // namespace troupe::service
