#include "client/remote/connection/socket_folder.hpp"

#include <fmt/format.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>

namespace troupe::remote {

namespace {

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

/// `source` says in a message where the path is from.
Result<std::string> checked(std::string folder, const std::string& source) {
  while (folder.size() > 1 && folder.ends_with('/')) folder.pop_back();
  if (!folder.starts_with('/')) {
    return Failure{ErrorCode::invalid_argument,
                   fmt::format("{} is '{}': the folder of the sockets must be an absolute path", source, folder)};
  }
  // The address ends in a null byte.
  constexpr std::size_t kLongest = sizeof(sockaddr_un::sun_path) - 1;
  if (service_socket(folder).size() > kLongest) {
    return Failure{ErrorCode::invalid_argument,
                   fmt::format("{} is '{}': too long for a socket's address, which has {} bytes at most; choose a "
                               "shorter path",
                               source, folder, kLongest)};
  }
  return folder;
}

}  // namespace

std::string service_socket(const std::string& folder) { return folder + "/service.sock"; }
std::string memory_socket(const std::string& folder) { return folder + "/memory.sock"; }

Result<std::string> socket_folder(const std::string& chosen) {
  if (!chosen.empty()) return checked(chosen, "the socket folder");
  if (std::string folder = variable("TROUPE_SOCKET_FOLDER"); !folder.empty()) {
    return checked(std::move(folder), "TROUPE_SOCKET_FOLDER");
  }
  if (::geteuid() == 0) return std::string("/run/troupe");
  const std::string runtime = variable("XDG_RUNTIME_DIR");
  if (runtime.empty()) {
    return Failure{ErrorCode::invalid_argument,
                   "there is no folder for the service's sockets: XDG_RUNTIME_DIR is not set; give a folder with "
                   "--socket-folder or TROUPE_SOCKET_FOLDER"};
  }
  return checked(runtime + "/troupe", "XDG_RUNTIME_DIR");
}

}  // namespace troupe::remote
