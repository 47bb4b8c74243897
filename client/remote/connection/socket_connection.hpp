/// Connections to the sockets of a service.
#pragma once

#include <string>

#include "platform/files/file_descriptor.hpp"
#include "proto/errors.hpp"

namespace troupe::remote {

/// A connection to the Unix socket `path`, of kind SOCK_STREAM or SOCK_SEQPACKET with further flags. We make it
/// ourselves, because gRPC does not tell why it cannot. Fails with `io` where no service is there, `platform` where
/// this user may not use it, or who serves is not to be trusted with his data.
[[nodiscard]] Result<platform::FileDescriptor> connect_to(const std::string& path, int kind);

/// Why nobody could be reached at `socket` (an `errno`), and what to do.
[[nodiscard]] Failure no_connection(const std::string& socket, int error);

}  // namespace troupe::remote
