/// Reads a text file of any length line by line, with a buffer of fixed size and without copying.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "platform/files/file_descriptor.hpp"
#include "troupe/errors.hpp"

namespace troupe::linalg {

/// Reads one file. Only one thread at a time may use the object.
class LineReader {
 public:
  /// The length of the longest line that is read. A file with a longer line is refused, because it is not a text file.
  static constexpr std::size_t kLongestLine = std::size_t{1} << 20;

  /// Opens a regular file. Fails with `ErrorCode::io` for a file that is missing, may not be read, or is a folder or a
  /// pipe.
  static Result<LineReader> open(const std::string& path);

  /// Stores the next line, without its end (LF or CR LF). The view is valid until the next call. Returns false at the
  /// end of the file and after a failure; `failure()` shows which of the two it was.
  [[nodiscard]] bool next(std::string_view& line);

  /// Returns the number of the line that `next` stored last, counted from one.
  [[nodiscard]] std::int64_t line_number() const { return line_number_; }
  /// Returns true if the line that `next` stored last was the file's last line and had no line end, as happens when a
  /// file is truncated.
  [[nodiscard]] bool cut_off() const { return cut_off_; }
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const std::optional<Failure>& failure() const { return failure_; }

  /// Returns `ErrorCode::bad_input` with the file and the line that was read last, as in "'a.mtx', line 7: ...".
  [[nodiscard]] Failure bad_line(std::string_view what) const;

 private:
  LineReader(platform::FileDescriptor file, std::string path);
  bool refill();

  platform::FileDescriptor file_;
  std::string path_;
  std::unique_ptr<char[]> buffer_;
  /// The part of the buffer that `next` has not yet returned is [begin_, end_).
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  bool at_end_ = false;
  bool cut_off_ = false;
  std::int64_t line_number_ = 0;
  std::optional<Failure> failure_;
};

}  // namespace troupe::linalg
