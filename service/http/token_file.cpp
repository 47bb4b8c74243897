#include "service/http/token_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "platform/files/file_descriptor.hpp"
#include "service/http/http_guard.hpp"

namespace troupe::service {

namespace {

constexpr std::size_t kLongest = 4096;

Failure unusable(const std::string& path, const std::string& why) {
  return {ErrorCode::bad_input, fmt::format("token file {}: {}", path, why)};
}

/// Reads the file, but at most a little more than the longest token.
Result<std::string> read_all(int fd, const std::string& path) {
  std::string text;
  std::array<char, 1024> piece{};
  while (text.size() <= kLongest + piece.size()) {
    const ssize_t got = ::read(fd, piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return unusable(path, std::strerror(errno));
    if (got == 0) break;
    text.append(piece.data(), static_cast<std::size_t>(got));
  }
  return text;
}

}  // namespace

Result<std::string> read_token(const std::string& path, std::uint32_t user) {
  // The open is non-blocking: if the path is a pipe without a writer, the start of the service must not wait.
  const platform::FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.valid()) return unusable(path, std::strerror(errno));
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) return unusable(path, std::strerror(errno));
  if (!S_ISREG(status.st_mode)) return unusable(path, "it is no plain file");
  if (status.st_uid != 0 && status.st_uid != user) {
    return unusable(path, fmt::format("it belongs to user {}, not to the service's (number {})", status.st_uid, user));
  }
  if ((status.st_mode & 077U) != 0) {
    return unusable(
        path, fmt::format("others can read or write it (mode {:04o}): chmod 600 {}", status.st_mode & 07777U, path));
  }
  auto text = read_all(file.get(), path);
  if (!text) return text;
  constexpr const char* kSpace = " \t\r\n";
  const std::size_t first = text.value().find_first_not_of(kSpace);
  const std::string token =
      first == std::string::npos ? "" : text.value().substr(first, text.value().find_last_not_of(kSpace) - first + 1);
  if (const auto checked = check_token(token); !checked) return unusable(path, checked.failure().message);
  return token;
}

}  // namespace troupe::service
