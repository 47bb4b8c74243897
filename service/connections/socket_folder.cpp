#include "service/connections/socket_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>

#include "platform/files/io_failure.hpp"
#include "service/configuration/trusted_files.hpp"
#include "service/connections/peer.hpp"

namespace troupe::service {
namespace {

using platform::FileDescriptor;
using platform::io_failure;

/// The longest queue that the system allows, so that connections that come in a burst are not lost.
constexpr int kBacklog = SOMAXCONN;

Failure refused(std::string message) { return {ErrorCode::io, std::move(message)}; }

Failure in_use(const std::string& path, std::string_view process) {
  return refused(fmt::format("another service{} has the sockets in '{}': stop it, or name another folder",
                             process.empty() ? "" : fmt::format(" (process {})", process), path));
}

Result<void> make_folder(const std::string& path, std::optional<std::uint32_t> group) {
  if (::mkdir(path.c_str(), 0700) != 0) {
    if (errno == EEXIST) return {};
    return io_failure("make the folder", path, errno);
  }
  if (group && (::chown(path.c_str(), static_cast<uid_t>(-1), *group) != 0 || ::chmod(path.c_str(), 0750) != 0)) {
    const int error = errno;
    ::rmdir(path.c_str());
    return io_failure("give to the group the folder", path, error);
  }
  return {};
}

/// Checks the folders above `path`: a user who could replace the folder could replace the sockets in it.
Result<void> check_place(const std::string& path) {
  const auto checked = check_way_to(path, ::geteuid());
  if (checked) return {};
  return refused(
      fmt::format("the folder '{}' is no place for sockets: {}; name another folder", path, checked.failure().message));
}

/// Checks owner and mode of the folder, because somebody else may have made it.
Result<void> check_folder(const std::string& path, std::optional<std::uint32_t> group) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) return io_failure("use the folder", path, errno);
  if (S_ISLNK(status.st_mode)) {
    return refused(
        fmt::format("'{}' is a symbolic link, which could come to lead elsewhere: name the folder itself", path));
  }
  if (!S_ISDIR(status.st_mode)) return refused(fmt::format("'{}' is no folder: name another one", path));
  if (status.st_uid != ::geteuid()) {
    return refused(
        fmt::format("the folder '{}' belongs to another user (number {}), who could replace the sockets: "
                    "name a folder of your own",
                    path, status.st_uid));
  }
  // The service's own group may write, unless it is the group of the service's users.
  const bool own_group = status.st_gid == ::getegid() && group != std::optional<std::uint32_t>(status.st_gid);
  const bool group_writes = (status.st_mode & S_IWGRP) != 0 && !own_group;
  if ((status.st_mode & S_IWOTH) != 0 || group_writes) {
    return refused(
        fmt::format("others may write in the folder '{}' and could replace the sockets: take away that "
                    "permission (chmod go-w), or name another folder",
                    path));
  }
  const bool group_enters =
      !group || (status.st_mode & S_IXOTH) != 0 || (status.st_gid == *group && (status.st_mode & S_IXGRP) != 0);
  if (group_enters) return {};
  if (::chown(path.c_str(), static_cast<uid_t>(-1), *group) != 0 ||
      ::chmod(path.c_str(), (status.st_mode & 0707U) | 0050U) != 0) {
    return io_failure("give to the group the folder", path, errno);
  }
  return {};
}

std::string read_process(int lock) {
  std::string text(20, '\0');
  const ssize_t size = ::pread(lock, text.data(), text.size(), 0);
  text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  const auto end = text.find_first_not_of("0123456789");
  return text.substr(0, end);
}

Result<FileDescriptor> take_lock(const std::string& folder) {
  const std::string path = folder + "/service.lock";
  FileDescriptor lock(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!lock.valid()) return io_failure("open", path, errno);
  if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) return in_use(folder, read_process(lock.get()));
    return io_failure("lock", path, errno);
  }
  const std::string process = fmt::format("{}\n", ::getpid());
  if (::ftruncate(lock.get(), 0) != 0 ||
      ::pwrite(lock.get(), process.data(), process.size(), 0) != static_cast<ssize_t>(process.size())) {
    return io_failure("write", path, errno);
  }
  return lock;
}

Result<sockaddr_un> address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) {
    return refused(fmt::format("the path '{}' has {} bytes, and a socket's may have {}: name a shorter folder", path,
                               path.size(), sizeof address.sun_path - 1));
  }
  std::memcpy(address.sun_path, path.data(), path.size());
  return address;
}

/// Returns the process that listens at the other end of `socket`; empty if it is not known.
std::string listener_of(int socket) {
  const Result<Peer> peer = peer_of(socket);
  return peer && peer.value().process > 0 ? std::to_string(peer.value().process) : std::string();
}

/// Removes a socket file at which nobody listens any more.
Result<void> remove_left_behind(const std::string& folder, const std::string& path, const sockaddr_un& address,
                                int kind) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) {
    if (errno == ENOENT) return {};
    return io_failure("look at", path, errno);
  }
  if (!S_ISSOCK(status.st_mode)) {
    return refused(fmt::format("'{}' is in the way, and is no socket: remove it, or name another folder", path));
  }
  const FileDescriptor probe(::socket(AF_UNIX, kind | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!probe.valid()) return io_failure("make a socket for", path, errno);
  const bool connected = ::connect(probe.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  if (connected) return in_use(folder, listener_of(probe.get()));
  // Only ECONNREFUSED shows that nobody listens. With a full queue or a socket of another kind, somebody may listen.
  if (errno != ECONNREFUSED) return in_use(folder, {});
  if (::unlink(path.c_str()) != 0) return io_failure("remove", path, errno);
  return {};
}

}  // namespace

Result<std::string> default_socket_folder() {
  if (::geteuid() == 0) return std::string("/run/troupe");
  const char* const runtime = std::getenv("XDG_RUNTIME_DIR");
  if (runtime != nullptr && *runtime == '/') return std::string(runtime) + "/troupe";
  return Failure{ErrorCode::invalid_argument,
                 "there is no default folder for the service's sockets, as XDG_RUNTIME_DIR is not set: name a folder"};
}

Result<SocketFolder> SocketFolder::open(const std::string& path, std::optional<std::uint32_t> group) {
  struct stat above {};
  const bool there = ::stat(std::string(std::filesystem::path(path).parent_path()).c_str(), &above) == 0;
  // If there is no folder above, the check is skipped, and `make_folder` reports the error.
  if (const auto placed = there ? check_place(path) : Result<void>(); !placed) return placed.failure();
  if (const auto made = make_folder(path, group); !made) return made.failure();
  if (const auto checked = check_folder(path, group); !checked) return checked.failure();
  auto lock = take_lock(path);
  if (!lock) return lock.failure();
  return SocketFolder(path, group, std::move(lock).value());
}

SocketFolder::~SocketFolder() {
  // The lock is still held, so no other service can have made sockets in the folder.
  for (const std::string& socket : sockets_) ::unlink(socket.c_str());
}

Result<FileDescriptor> SocketFolder::listen(const std::string& name, int kind) {
  const std::string path = path_ + "/" + name;
  const auto address = address_of(path);
  if (!address) return address.failure();
  if (const auto removed = remove_left_behind(path_, path, address.value(), kind); !removed) return removed.failure();
  FileDescriptor socket(::socket(AF_UNIX, kind | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket.valid()) return io_failure("make the socket", path, errno);
  if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address.value()), sizeof(sockaddr_un)) != 0) {
    return io_failure("make the socket", path, errno);
  }
  sockets_.push_back(path);
  // The mode can be set now, because nobody can connect before the socket listens.
  if (group_ && ::chown(path.c_str(), static_cast<uid_t>(-1), *group_) != 0) {
    return io_failure("give to the group the socket", path, errno);
  }
  if (::chmod(path.c_str(), group_ ? 0660 : 0600) != 0) return io_failure("set the mode of", path, errno);
  if (::listen(socket.get(), kBacklog) != 0) return io_failure("listen at", path, errno);
  return socket;
}

}  // namespace troupe::service
