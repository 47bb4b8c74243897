/// Sockets that systemd has opened and passes to the service when it starts the service.
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

/// Reads the variables and unsets them, because they are not meant for child processes. Call this function before other
/// threads start.
[[nodiscard]] InheritedVariables take_inherited_variables();

struct ListeningSockets {
  platform::FileDescriptor service;
  platform::FileDescriptor memory;
};

/// Returns the two sockets of a service among the descriptors from `first` on. The sockets have the names "service" and
/// "memory"; if there are no names, they are the listening Unix sockets of kind SOCK_STREAM and SOCK_SEQPACKET. Returns
/// nothing if no descriptors were passed to this process. Fails with `invalid_argument` if other descriptors were
/// passed.
[[nodiscard]] Result<std::optional<ListeningSockets>> inherited_sockets(const InheritedVariables& variables,
                                                                        int first = 3);

}  // namespace troupe::service
