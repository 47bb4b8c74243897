/// The folder with the sockets through which clients reach the service of a node.
#pragma once

#include <string>

#include "troupe/errors.hpp"

namespace troupe::remote {

/// Returns the folder of a service's sockets, for the process that serves: `chosen` if it is not empty (an option of
/// the command line), else the environment variable `TROUPE_SOCKET_FOLDER`, else `/run/troupe` for root, else
/// `$XDG_RUNTIME_DIR/troupe`. The folder need not exist. Fails with `invalid_argument` if none of these is set, and if
/// the path is not absolute or too long for the address of a socket; the message says what to do. Reads the
/// environment: do not call it while another thread changes the environment.
[[nodiscard]] Result<std::string> socket_folder(const std::string& chosen = {});

/// The folders where services may be: the user's own folder, and the folder for all users of the node.
struct SocketPlaces {
  /// The user's own folder; empty if the user can have none.
  std::string own;
  std::string node = "/run/troupe";
};

/// Returns the folder of a listening service that this process may use; the user's own service comes first. If no
/// service listens, returns the user's own folder, which error messages then name. Fails with `service_lost` if only
/// the node's service listens and this process may not use it; the message says whom to ask.
[[nodiscard]] Result<std::string> find_service(const SocketPlaces& places);

/// Returns the folder of the sockets that a client or a command uses: `chosen`, else the environment variable
/// `TROUPE_SOCKET_FOLDER`, else `/run/troupe` for root, else the result of `find_service`, which prefers the user's own
/// service. Fails as `socket_folder` and `find_service` do.
[[nodiscard]] Result<std::string> client_socket_folder(const std::string& chosen = {});

/// Returns the path of the socket for gRPC.
[[nodiscard]] std::string service_socket(const std::string& folder);
/// Returns the path of the socket from which clients get shared memory.
[[nodiscard]] std::string memory_socket(const std::string& folder);

}  // namespace troupe::remote
