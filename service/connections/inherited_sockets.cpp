#include "service/connections/inherited_sockets.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <string_view>
#include <utility>

namespace troupe::service {
namespace {

constexpr int kMostSockets = 64;

std::string take(const char* name) {
  const char* const value = std::getenv(name);
  std::string taken = value != nullptr ? value : "";
  ::unsetenv(name);
  return taken;
}

std::optional<int> number(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Removes the first name from a list that is separated by colons, and returns this name.
std::string_view next_name(std::string_view& names) {
  const auto end = names.find(':');
  const std::string_view name = names.substr(0, end);
  names = end == std::string_view::npos ? std::string_view() : names.substr(end + 1);
  return name;
}

int option_of(int socket, int option) {
  int value = -1;
  socklen_t size = sizeof value;
  return ::getsockopt(socket, SOL_SOCKET, option, &value, &size) == 0 ? value : -1;
}

bool listens(int socket) { return option_of(socket, SO_DOMAIN) == AF_UNIX && option_of(socket, SO_ACCEPTCONN) == 1; }

/// Takes ownership of the socket, and ensures that processes that the service starts do not inherit it.
platform::FileDescriptor adopt(int socket) {
  ::fcntl(socket, F_SETFD, FD_CLOEXEC);
  ::fcntl(socket, F_SETFL, ::fcntl(socket, F_GETFL) | O_NONBLOCK);
  return platform::FileDescriptor(socket);
}

Failure unsuitable(std::string_view why) {
  return {ErrorCode::invalid_argument,
          fmt::format("systemd has passed sockets that the service cannot use: {}. It needs two Unix sockets, one with "
                      "ListenStream= and FileDescriptorName=service, one with ListenSequentialPacket= and "
                      "FileDescriptorName=memory",
                      why)};
}

}  // namespace

InheritedVariables take_inherited_variables() {
  return {take("LISTEN_PID"), take("LISTEN_FDS"), take("LISTEN_FDNAMES")};
}

Result<std::optional<ListeningSockets>> inherited_sockets(const InheritedVariables& variables, int first) {
  const auto process = number(variables.process);
  if (!process || *process != ::getpid() || variables.count.empty()) return std::optional<ListeningSockets>();
  const auto count = number(variables.count);
  if (!count || *count < 0 || *count > kMostSockets) {
    return unsuitable(fmt::format("LISTEN_FDS is '{}'", variables.count));
  }
  if (*count == 0) return std::optional<ListeningSockets>();
  ListeningSockets found;
  std::string_view names = variables.names;
  for (int socket = first; socket < first + *count; ++socket) {
    const std::string_view name = next_name(names);
    const int kind = option_of(socket, SO_TYPE);
    const bool is_service = listens(socket) && kind == SOCK_STREAM;
    const bool is_memory = listens(socket) && kind == SOCK_SEQPACKET;
    if (name == "service" && !is_service) return unsuitable("that named 'service' is no listening stream socket");
    if (name == "memory" && !is_memory) return unsuitable("that named 'memory' is no listening packet socket");
    if (!is_service && !is_memory) continue;
    platform::FileDescriptor& place = is_service ? found.service : found.memory;
    if (place.valid()) return unsuitable(fmt::format("there are two for '{}'", is_service ? "service" : "memory"));
    place = adopt(socket);
  }
  if (!found.service.valid()) return unsuitable("there is none for 'service'");
  if (!found.memory.valid()) return unsuitable("there is none for 'memory'");
  return std::optional<ListeningSockets>(std::move(found));
}

}  // namespace troupe::service
