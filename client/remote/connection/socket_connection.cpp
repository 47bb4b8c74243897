#include "client/remote/connection/socket_connection.hpp"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

namespace troupe::remote {

Failure no_connection(const std::string& socket, int error) {
  switch (error) {
    case ENOENT:
    case ENOTDIR:
      return {ErrorCode::io,
              fmt::format("no service is running here: there is no {}; start one with `troupe serve`, or "
                          "say with --socket-folder where its sockets are",
                          socket)};
    case ECONNREFUSED:
    case ENOTSOCK:
      return {ErrorCode::io, fmt::format("no service listens at {}: the one that made it has ended; start one with "
                                         "`troupe serve`",
                                         socket)};
    case EACCES:
    case EPERM:
      return {ErrorCode::platform, fmt::format("no permission to use the service at {}: ask whoever runs it for the "
                                               "socket's group, or start your own with `troupe serve`",
                                               socket)};
    case EAGAIN:
      return {ErrorCode::io, fmt::format("the service at {} has too many connections waiting; try again", socket)};
    default:
      return {ErrorCode::io, fmt::format("cannot connect to the service at {}: {}", socket, std::strerror(error))};
  }
}

namespace {

/// Checks which user runs the server, because the server sees and changes this program's data. The server's user may be
/// this user, root, or the owner of the folder that the user has named. Other users are refused, because any user who
/// may write to the folder could put a socket there.
Result<void> check_server(int socket, const std::string& path) {
  ucred server{};
  socklen_t size = sizeof server;
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &server, &size) != 0) return no_connection(path, errno);
  if (server.uid == ::geteuid() || server.uid == 0) return {};
  struct stat folder {};
  const std::string place = path.substr(0, path.rfind('/'));
  const bool owner = ::stat(place.c_str(), &folder) == 0 && folder.st_uid == server.uid;
  if (owner && (folder.st_mode & S_IWOTH) == 0) return {};
  return Failure{ErrorCode::platform,
                 fmt::format("the service at {} belongs to user {}, who is neither you nor root nor the owner of a "
                             "folder that others cannot write: it is not trusted with your data; name another "
                             "service's folder with --socket-folder",
                             path, server.uid)};
}

}  // namespace

Result<platform::FileDescriptor> connect_to(const std::string& path, int kind) {
  platform::FileDescriptor fd(::socket(AF_UNIX, kind, 0));
  if (!fd.valid()) return no_connection(path, errno);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof(address.sun_path)) return no_connection(path, ENAMETOOLONG);
  path.copy(address.sun_path, path.size());
  // EAGAIN means that the service's queue of connections is full. The queue has room again as soon as the service has
  // accepted some connections, so try again.
  constexpr int kTries = 100;
  constexpr std::chrono::milliseconds kPause{20};
  for (int left = kTries; ::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0;) {
    if (errno != EINTR && (errno != EAGAIN || --left == 0)) return no_connection(path, errno);
    if (errno == EAGAIN) std::this_thread::sleep_for(kPause);
  }
  if (auto trusted = check_server(fd.get(), path); !trusted) return trusted.failure();
  return fd;
}

}  // namespace troupe::remote
