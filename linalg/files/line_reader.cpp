#include "linalg/files/line_reader.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "platform/files/io_failure.hpp"

namespace troupe::linalg {

LineReader::LineReader(platform::FileDescriptor file, std::string path)
    : file_(std::move(file)), path_(std::move(path)), buffer_(std::make_unique_for_overwrite<char[]>(kLongestLine)) {}

Result<LineReader> LineReader::open(const std::string& path) {
  // Without O_NONBLOCK, opening a pipe that no process writes to would block for ever.
  platform::FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.valid()) return platform::io_failure("open", path, errno);
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) return platform::io_failure("open", path, errno);
  if (S_ISDIR(status.st_mode)) return platform::io_failure("read", path, EISDIR);
  if (!S_ISREG(status.st_mode)) {
    return Failure{ErrorCode::io,
                   fmt::format("cannot read '{}': it is a pipe or a device; write it to a file first", path)};
  }
  return LineReader(std::move(file), path);
}

bool LineReader::next(std::string_view& line) {
  if (failure_) return false;
  std::size_t searched = 0;
  while (true) {
    const char* start = buffer_.get() + begin_;
    const auto* newline = static_cast<const char*>(std::memchr(start + searched, '\n', end_ - begin_ - searched));
    if (newline != nullptr) {
      line = {start, static_cast<std::size_t>(newline - start)};
      begin_ += line.size() + 1;
      break;
    }
    searched = end_ - begin_;
    if (refill()) continue;
    if (failure_ || searched == 0) return false;
    line = {buffer_.get() + begin_, searched};
    begin_ = end_;
    cut_off_ = true;
    break;
  }
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  ++line_number_;
  return true;
}

/// Moves the unfinished line to the front of the buffer, and reads more text into the rest of the buffer. Returns false
/// at the end of the file.
bool LineReader::refill() {
  if (at_end_) return false;
  std::memmove(buffer_.get(), buffer_.get() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  if (end_ == kLongestLine) {
    ++line_number_;
    failure_ = bad_line(fmt::format("is longer than {} characters; this is not a text file", kLongestLine));
    return false;
  }
  ssize_t received = -1;
  do {
    received = ::read(file_.get(), buffer_.get() + end_, kLongestLine - end_);
  } while (received < 0 && errno == EINTR);
  if (received < 0) failure_ = platform::io_failure("read", path_, errno);
  at_end_ = received <= 0;
  if (received > 0) end_ += static_cast<std::size_t>(received);
  return received > 0;
}

Failure LineReader::bad_line(std::string_view what) const {
  return {ErrorCode::bad_input, fmt::format("'{}', line {}: {}", path_, line_number_, what)};
}

}  // namespace troupe::linalg
