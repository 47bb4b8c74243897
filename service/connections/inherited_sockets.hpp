/// Sockets that systemd made and passes to the service that it starts for them.
#pragma once

#include <optional>
#include <string>

#include "platform/files/file_descriptor.hpp"
#include "troupe/errors.hpp"

namespace troupe::service {

/// The variables that systemd sets in the environment.
struct InheritedVariables {
  /// LISTEN_PID, LISTEN_FDS and LISTEN_FDNAMES; empty where they are not set.
  std::string process = {};
  std::string count = {};
  std::string names = {};
};

/// Reads and unsets them, as they are not for processes that this one starts. Before there are other threads.
[[nodiscard]] InheritedVariables take_inherited_variables();

struct ListeningSockets {
  platform::FileDescriptor service;
  platform::FileDescriptor memory;
};

/// The two sockets of a service among the descriptors from `first` on: those named "service" and "memory", and where
/// names say nothing, the listening Unix sockets of kind SOCK_STREAM and SOCK_SEQPACKET. Nothing where no descriptors
/// were passed to this process. Fails with `invalid_argument` where they are not what a service needs.
[[nodiscard]] Result<std::optional<ListeningSockets>> inherited_sockets(const InheritedVariables& variables,
                                                                        int first = 3);

}  // namespace troupe::service
