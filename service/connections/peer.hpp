/// The user at the other end of a Unix socket, and the rule that says which users may connect.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "troupe/errors.hpp"

namespace troupe::service {

/// The process at the other end of a connection, as the kernel noted it when the connection was made.
struct Peer {
  std::uint32_t user = 0;
  std::uint32_t group = 0;
  std::int64_t process = 0;
  /// The supplementary groups of the process.
  std::vector<std::uint32_t> groups = {};

  [[nodiscard]] bool is_in(std::uint32_t wanted) const;
};

/// Returns the peer of a connected socket. Fails with `io` if the kernel knows none.
[[nodiscard]] Result<Peer> peer_of(int socket);

/// The users who may use a service: its owner, root, and the members of one group.
struct AccessRule {
  std::uint32_t owner = 0;
  std::optional<std::uint32_t> group = std::nullopt;

  [[nodiscard]] bool admits(const Peer& peer) const;
  /// Returns true if the user may see and cancel the sessions of others.
  [[nodiscard]] bool administers(std::uint32_t user) const { return user == 0 || user == owner; }
};

/// Returns the number of a group, given by its name or in digits. Fails with `invalid_argument`.
[[nodiscard]] Result<std::uint32_t> find_group(const std::string& name);

}  // namespace troupe::service
