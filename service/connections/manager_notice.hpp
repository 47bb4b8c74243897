/// Notices to the manager that started the service, systemd for instance. The protocol is a datagram to a socket.
#pragma once

#include <string>
#include <string_view>

#include "troupe/errors.hpp"

namespace troupe::service {

/// The socket where the manager listens; empty where nobody does. Reads and unsets the environment's `NOTIFY_SOCKET`,
/// as it is not for processes that this one starts: before there are other threads.
[[nodiscard]] std::string take_notice_socket();

/// Sends "READY=1" or "STOPPING=1", say. `socket`: a path, or '@' and an abstract name; empty: does nothing. Fails with
/// `io`.
[[nodiscard]] Result<void> notify_manager(const std::string& socket, std::string_view notice);

}  // namespace troupe::service
