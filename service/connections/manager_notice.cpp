#include "service/connections/manager_notice.hpp"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>

#include "platform/files/file_descriptor.hpp"

namespace troupe::service {

std::string take_notice_socket() {
  const char* const socket = std::getenv("NOTIFY_SOCKET");
  std::string result = socket == nullptr ? "" : socket;
  ::unsetenv("NOTIFY_SOCKET");
  return result;
}

Result<void> notify_manager(const std::string& socket, std::string_view notice) {
  if (socket.empty()) return {};
  const auto failed = [&](const char* why) {
    return Failure{ErrorCode::io, fmt::format("cannot tell the manager at {}: {}", socket, why)};
  };
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if ((socket[0] != '/' && socket[0] != '@') || socket.size() >= sizeof(address.sun_path)) {
    return failed("that is no address of a socket");
  }
  socket.copy(address.sun_path, socket.size());
  // An abstract name begins with a zero byte and has no zero byte at its end.
  if (socket[0] == '@') address.sun_path[0] = '\0';
  const auto length =
      static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + socket.size() + (socket[0] == '/' ? 1 : 0));
  const platform::FileDescriptor fd(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!fd.valid()) return failed(std::strerror(errno));
  const ssize_t sent = ::sendto(fd.get(), notice.data(), notice.size(), MSG_NOSIGNAL,
                                reinterpret_cast<const sockaddr*>(&address), length);
  if (sent != static_cast<ssize_t>(notice.size())) return failed(std::strerror(errno));
  return {};
}

}  // namespace troupe::service
