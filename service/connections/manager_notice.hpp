/// Notices to the process manager that started the service, for instance systemd. Each notice is a datagram to a
/// socket.
#pragma once

#include <string>
#include <string_view>

#include "troupe/errors.hpp"

namespace troupe::service {

/// Returns the socket at which the manager listens; empty if there is no manager. Reads `NOTIFY_SOCKET` and unsets it,
/// because it is not meant for child processes. Call this function before other threads start.
[[nodiscard]] std::string take_notice_socket();

/// Sends a notice such as "READY=1" or "STOPPING=1". `socket` is a path, or '@' and an abstract name; if it is empty,
/// nothing is sent. Fails with `io`.
[[nodiscard]] Result<void> notify_manager(const std::string& socket, std::string_view notice);

}  // namespace troupe::service
