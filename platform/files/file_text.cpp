#include "platform/files/file_text.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <string_view>
#include <system_error>
#include <thread>

#include "platform/files/file_descriptor.hpp"

namespace troupe::platform {
namespace {

/// `kForWriter` is the longest wait for a process to open a named pipe for writing, `kForBytesMs` the longest wait for
/// the next bytes of an open pipe.
constexpr std::chrono::seconds kForWriter{1};
constexpr int kForBytesMs = 60'000;
constexpr std::chrono::milliseconds kPause{10};

/// Reads pieces of a file. For a pipe, each call of `read` waits for a limited time only. `read` returns 0 at the end
/// of the file, and -1 with `errno` on an error.
class PatientReader {
 public:
  explicit PatientReader(FileDescriptor file) : file_(std::move(file)) {
    struct stat status {};
    is_pipe_ = ::fstat(file_.get(), &status) == 0 && S_ISFIFO(status.st_mode);
  }

  ssize_t read(char* where, std::size_t most) {
    for (;;) {
      const ssize_t got = ::read(file_.get(), where, most);
      if (got > 0) any_ = true;
      if (got > 0 || (got == 0 && (!is_pipe_ || any_))) return got;
      if (got == 0) {
        // No process has opened the pipe for writing yet.
        if (std::chrono::steady_clock::now() - began_ > kForWriter) {
          errno = ETIMEDOUT;
          return -1;
        }
        std::this_thread::sleep_for(kPause);
      } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
        pollfd readable{file_.get(), POLLIN, 0};
        if (::poll(&readable, 1, kForBytesMs) == 0) {
          errno = ETIMEDOUT;
          return -1;
        }
      } else if (errno != EINTR) {
        return -1;
      }
    }
  }

 private:
  FileDescriptor file_;
  bool is_pipe_ = false;
  bool any_ = false;
  const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

}  // namespace

Result<std::string> read_text(const std::string& path, Bytes most, std::string_view what) {
  const auto failed = [&](const char* action, int error_number) {
    // Only pipes can fail with a timeout.
    const bool late = error_number == ETIMEDOUT;
    return Failure{ErrorCode::io, fmt::format("cannot {} the {} '{}': {}", action, what, path,
                                              late ? "it is a pipe that nobody writes into"
                                                   : std::generic_category().message(error_number))};
  };
  // Opens with O_NONBLOCK: without it, opening a named pipe would wait for a writer.
  FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  if (!file.valid()) return failed("open", errno);
  PatientReader reader(std::move(file));
  std::string text;
  constexpr std::size_t kChunk = std::size_t{1} << 16U;
  for (;;) {
    const std::size_t before = text.size();
    text.resize(before + kChunk);
    const ssize_t got = reader.read(text.data() + before, kChunk);
    if (got < 0) return failed("read", errno);
    text.resize(before + static_cast<std::size_t>(got));
    if (got == 0) return text;
    if (text.size() > most.count) {
      return Failure{ErrorCode::bad_input,
                     fmt::format("'{}' is larger than {} MiB, too large for a {}", path, most.count >> 20U, what)};
    }
  }
}

}  // namespace troupe::platform
