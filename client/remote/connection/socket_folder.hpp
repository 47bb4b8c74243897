/// Where the service of a node and its clients meet.
#pragma once

#include <string>

#include "proto/errors.hpp"

namespace troupe::remote {

/// The folder of a service's sockets, for who serves: `chosen` where it is not empty (an option of the command line),
/// else the environment variable `TROUPE_SOCKET_FOLDER`, else `/run/troupe` for root, else `$XDG_RUNTIME_DIR/troupe`.
/// It need not exist. Fails with `invalid_argument` where none of them helps, and where the path is not absolute or too
/// long for the address of a socket; the message says what to do. Reads the environment: not while another thread
/// changes it.
[[nodiscard]] Result<std::string> socket_folder(const std::string& chosen = {});

/// Where services may be: a user's own one, and one for all of the node's users.
struct SocketPlaces {
  /// Empty: there is no place for one.
  std::string own;
  std::string node = "/run/troupe";
};

/// Where a service listens that this process may use: the user's own one comes first. Where none listens, its own
/// folder, so that messages name that. Fails with `service_lost` where the node's service alone listens and this
/// process may not use it; the message says whom to ask.
[[nodiscard]] Result<std::string> find_service(const SocketPlaces& places);

/// The folder of the sockets of the service that a client or a command means: `chosen`, else the environment variable
/// `TROUPE_SOCKET_FOLDER`, else for root `/run/troupe`, else where `find_service` finds one, the user's own one first.
/// Fails as `socket_folder` and `find_service` do.
[[nodiscard]] Result<std::string> client_socket_folder(const std::string& chosen = {});

/// Where gRPC is spoken.
[[nodiscard]] std::string service_socket(const std::string& folder);
/// Where shared memory is handed out.
[[nodiscard]] std::string memory_socket(const std::string& folder);

}  // namespace troupe::remote
