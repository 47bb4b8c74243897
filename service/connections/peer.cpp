#include "service/connections/peer.hpp"

#include <fmt/format.h>
#include <grp.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <system_error>

namespace troupe::service {

bool Peer::is_in(std::uint32_t wanted) const {
  return group == wanted || std::find(groups.begin(), groups.end(), wanted) != groups.end();
}

Result<Peer> peer_of(int socket) {
  ucred credentials{};
  socklen_t size = sizeof credentials;
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0) {
    return Failure{ErrorCode::io, fmt::format("cannot find out who is at the other end of a socket: {}",
                                              std::generic_category().message(errno))};
  }
  Peer peer{credentials.uid, credentials.gid, credentials.pid, {}};
  // Kernels before 4.13 do not report supplementary groups. Then only the peer's primary group counts.
  std::vector<gid_t> groups(64);
  size = static_cast<socklen_t>(groups.size() * sizeof(gid_t));
  int outcome = ::getsockopt(socket, SOL_SOCKET, SO_PEERGROUPS, groups.data(), &size);
  if (outcome != 0 && errno == ERANGE) {
    groups.resize(size / sizeof(gid_t));
    outcome = ::getsockopt(socket, SOL_SOCKET, SO_PEERGROUPS, groups.data(), &size);
  }
  if (outcome == 0) peer.groups.assign(groups.begin(), groups.begin() + size / sizeof(gid_t));
  return peer;
}

bool AccessRule::admits(const Peer& peer) const { return administers(peer.user) || (group && peer.is_in(*group)); }

Result<std::uint32_t> find_group(const std::string& name) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (!name.empty() && error == std::errc() && end == name.data() + name.size()) return number;
  std::vector<char> buffer(16384);
  ::group entry{};
  ::group* found = nullptr;
  while (::getgrnam_r(name.c_str(), &entry, buffer.data(), buffer.size(), &found) == ERANGE &&
         buffer.size() < (std::size_t{1} << 24U)) {
    buffer.resize(2 * buffer.size());
  }
  if (found == nullptr) {
    return Failure{ErrorCode::invalid_argument,
                   fmt::format("there is no group '{}' on this machine: name one that there is", name)};
  }
  return static_cast<std::uint32_t>(found->gr_gid);
}

}  // namespace troupe::service
