/// Connections to the sockets of a service.
#pragma once

#include <string>

#include "platform/files/file_descriptor.hpp"
#include "troupe/errors.hpp"

namespace troupe::remote {

/// Connects to the Unix socket `path`; `kind` is SOCK_STREAM or SOCK_SEQPACKET with further flags. We connect
/// ourselves, because gRPC does not tell why it cannot connect. Fails with `io` if no service is there, and with
/// `platform` if this user may not use it or its server cannot be trusted with the user's data.
[[nodiscard]] Result<platform::FileDescriptor> connect_to(const std::string& path, int kind);

/// Describes why nobody could be reached at `socket` (`error` is an `errno`), and what to do.
[[nodiscard]] Failure no_connection(const std::string& socket, int error);

}  // namespace troupe::remote
