/// Sockets that systemd made and passes to the service that it starts for them.
#pragma once

#include <optional>
#include <string>

#include "platform/files/file_descriptor.hpp"
#include "troupe/errors.hpp"

namespace troupe::service {

/// The variables that systemd sets in the environment.
struct InheritedVariables {
  /// The values of LISTEN_PID, LISTEN_FDS and LISTEN_FDNAMES; empty if they are not set.
  std::string process = {};
  std::string count = {};
  std::string names = {};
};

/// Reads the variables and unsets them, as they are not meant for child processes. Call it before there are other
/// threads.
[[nodiscard]] InheritedVariables take_inherited_variables();

struct ListeningSockets {
  platform::FileDescriptor service;
  platform::FileDescriptor memory;
};

/// Returns the two sockets of a service among the descriptors from `first` on: those named "service" and "memory", or,
/// without names, the listening Unix sockets of kind SOCK_STREAM and SOCK_SEQPACKET. Returns nothing if no descriptors
/// were passed to this process. Fails with `invalid_argument` if they are not what a service needs.
[[nodiscard]] Result<std::optional<ListeningSockets>> inherited_sockets(const InheritedVariables& variables,
                                                                        int first = 3);

}  // namespace troupe::service
