/// Calls of the service without gRPC, to make more of them than gRPC would, and to leave what it would not.
#pragma once

#include <string>
#include <string_view>

#include "platform/files/file_descriptor.hpp"

namespace troupe::bench {

/// The bytes of an HTTP/2 connection (RFC 9113) that makes `count` calls of `method`, each with an empty message, and
/// ends its side of each stream.
[[nodiscard]] std::string raw_calls(std::string_view method, int count);

/// A connection to the service's socket in `folder`. Throws `Error` where there is none.
[[nodiscard]] platform::FileDescriptor connect_raw(const std::string& folder);

/// Sends what the socket takes at once; a service that has closed it is no error.
void send_raw(const platform::FileDescriptor& socket, std::string_view bytes);

}  // namespace troupe::bench
