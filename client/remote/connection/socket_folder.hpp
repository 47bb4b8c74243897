/// Where the service of a node and its clients meet.
#pragma once

#include <string>

#include "proto/errors.hpp"

namespace troupe::remote {

/// The folder of the service's sockets: `chosen` where it is not empty (an option of the command line), else the
/// environment variable `TROUPE_SOCKET_FOLDER`, else `/run/troupe` for root, else `$XDG_RUNTIME_DIR/troupe`. It need
/// not exist. Fails with `invalid_argument` where none of them helps, and where the path is not absolute or too long
/// for the address of a socket; the message says what to do. Reads the environment: not while another thread changes
/// it.
[[nodiscard]] Result<std::string> socket_folder(const std::string& chosen = {});

/// Where gRPC is spoken.
[[nodiscard]] std::string service_socket(const std::string& folder);
/// Where shared memory is handed out.
[[nodiscard]] std::string memory_socket(const std::string& folder);

}  // namespace troupe::remote
