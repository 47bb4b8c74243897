#include "client/remote/connection/socket_folder.hpp"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "platform/environment_value.hpp"
#include "platform/files/file_descriptor.hpp"
#include "platform/machine/account_names.hpp"

namespace troupe::remote {

namespace {

/// Checks the path of the folder. Error messages name `source` as the origin of the path.
Result<std::string> checked(std::string folder, const std::string& source) {
  while (folder.size() > 1 && folder.ends_with('/')) folder.pop_back();
  if (!folder.starts_with('/')) {
    return Failure{ErrorCode::invalid_argument,
                   fmt::format("{} is '{}': the folder of the sockets must be an absolute path", source, folder)};
  }
  // A socket's address ends in a null byte.
  constexpr std::size_t kLongest = sizeof(sockaddr_un::sun_path) - 1;
  if (service_socket(folder).size() > kLongest) {
    return Failure{ErrorCode::invalid_argument,
                   fmt::format("{} is '{}': too long for a socket's address, which has {} bytes at most; choose a "
                               "shorter path",
                               source, folder, kLongest)};
  }
  return folder;
}

enum class Listener { absent, present, forbidden };

/// Looks for a listening service in the folder. The socket of a killed service refuses connections.
Listener listener_in(const std::string& folder) {
  const std::string path = service_socket(folder);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return Listener::absent;
  std::memcpy(address.sun_path, path.data(), path.size());
  const platform::FileDescriptor probe(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!probe.valid()) return Listener::absent;
  if (::connect(probe.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
    return Listener::present;
  }
  if (errno == EACCES) return Listener::forbidden;
  return errno == EAGAIN ? Listener::present : Listener::absent;  // the service's queue is full
}

Failure forbidden(const SocketPlaces& places) {
  struct stat status {};
  // If the socket cannot be examined, use the group of its folder: members of this group may enter the folder.
  const bool seen =
      ::stat(service_socket(places.node).c_str(), &status) == 0 || ::stat(places.node.c_str(), &status) == 0;
  const std::string group = seen ? "'" + platform::group_name(status.st_gid) + "'" : "of its socket";
  return {ErrorCode::service_lost,
          fmt::format("the service of this node, in '{}', is for members of the group {}: ask to be made one and log "
                      "in again, or start a service of your own with `troupe serve`",
                      places.node, group)};
}

}  // namespace

std::string service_socket(const std::string& folder) { return folder + "/service.sock"; }
std::string memory_socket(const std::string& folder) { return folder + "/memory.sock"; }

Result<std::string> socket_folder(const std::string& chosen) {
  if (!chosen.empty()) return checked(chosen, "the socket folder");
  if (std::string folder = platform::environment_value("TROUPE_SOCKET_FOLDER"); !folder.empty()) {
    return checked(std::move(folder), "TROUPE_SOCKET_FOLDER");
  }
  if (::geteuid() == 0) return std::string("/run/troupe");
  const std::string runtime = platform::environment_value("XDG_RUNTIME_DIR");
  if (runtime.empty()) {
    return Failure{ErrorCode::invalid_argument,
                   "there is no folder for the service's sockets: XDG_RUNTIME_DIR is not set; give a folder with "
                   "--socket-folder or TROUPE_SOCKET_FOLDER"};
  }
  return checked(runtime + "/troupe", "XDG_RUNTIME_DIR");
}

Result<std::string> find_service(const SocketPlaces& places) {
  if (!places.own.empty() && listener_in(places.own) == Listener::present) return places.own;
  switch (listener_in(places.node)) {
    case Listener::present: return places.node;
    case Listener::forbidden: return forbidden(places);
    case Listener::absent: break;
  }
  return places.own;
}

Result<std::string> client_socket_folder(const std::string& chosen) {
  auto own = socket_folder(chosen);
  if (!chosen.empty() || !platform::environment_value("TROUPE_SOCKET_FOLDER").empty() || ::geteuid() == 0) return own;
  auto found = find_service({.own = own ? own.value() : std::string()});
  // If this user has no folder and the node has no service, report that the folder is missing.
  return found && found.value().empty() ? own : found;
}

}  // namespace troupe::remote
