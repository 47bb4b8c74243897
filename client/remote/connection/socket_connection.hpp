/// Connections to the sockets of a service.
#pragma once

#include <string>

#include "platform/files/file_descriptor.hpp"
#include "troupe/errors.hpp"

namespace troupe::remote {

/// Connects to the Unix socket `path`; `kind` is SOCK_STREAM or SOCK_SEQPACKET with further flags. This function is
/// used instead of a connection by gRPC, which does not report why it cannot connect. Fails with `io` if there is no
/// service, and with `platform` if this user may not use the service, or if another user than expected runs it.
[[nodiscard]] Result<platform::FileDescriptor> connect_to(const std::string& path, int kind);

/// Describes why no service could be reached at `socket` (`error` is an `errno`), and what to do.
[[nodiscard]] Failure no_connection(const std::string& socket, int error);

}  // namespace troupe::remote
