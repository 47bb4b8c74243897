#include "client/remote/connection/socket_connection.hpp"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>
#include <cstring>

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

Result<platform::FileDescriptor> connect_to(const std::string& path, int kind) {
  platform::FileDescriptor fd(::socket(AF_UNIX, kind, 0));
  if (!fd.valid()) return no_connection(path, errno);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof(address.sun_path)) return no_connection(path, ENAMETOOLONG);
  path.copy(address.sun_path, path.size());
  if (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    return no_connection(path, errno);
  }
  return fd;
}

}  // namespace troupe::remote
