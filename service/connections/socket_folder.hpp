/// The folder of a service's sockets; only one service at a time owns it.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "platform/files/file_descriptor.hpp"
#include "troupe/errors.hpp"

namespace troupe::service {

/// Returns `$XDG_RUNTIME_DIR/troupe`; for root `/run/troupe`. Fails with `invalid_argument` if the variable is not set.
/// Reads the environment.
[[nodiscard]] Result<std::string> default_socket_folder();

/// Owns the folder as long as this object exists. Ownership is a file lock, which the system releases when the process
/// ends. The destructor removes the sockets that were made in the folder.
class SocketFolder {
 public:
  /// Makes the folder if it does not exist, with access for its owner alone or for a group, too. Fails with `io` if
  /// another service uses the folder, if it belongs to another user, if others may write in it, or if it cannot be
  /// made.
  [[nodiscard]] static Result<SocketFolder> open(const std::string& path, std::optional<std::uint32_t> group);
  SocketFolder(SocketFolder&& other) noexcept = default;
  SocketFolder& operator=(SocketFolder&&) = delete;
  ~SocketFolder();

  /// Returns a listening socket of kind SOCK_STREAM or SOCK_SEQPACKET. Only the owner and, if there is one, the group
  /// can connect to it. Replaces a socket that an earlier service left behind. Fails with `io` if the path is in use or
  /// no socket can be made.
  [[nodiscard]] Result<platform::FileDescriptor> listen(const std::string& name, int kind);

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  SocketFolder(std::string path, std::optional<std::uint32_t> group, platform::FileDescriptor lock)
      : path_(std::move(path)), group_(group), lock_(std::move(lock)) {}

  std::string path_;
  std::optional<std::uint32_t> group_;
  platform::FileDescriptor lock_;
  std::vector<std::string> sockets_;
};

}  // namespace troupe::service
