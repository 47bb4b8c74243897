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

/// Reads one file. To be used by one thread at a time.
class LineReader {
 public:
  /// The length of the longest line that is read; a file with a longer one is not text.
  static constexpr std::size_t kLongestLine = std::size_t{1} << 20;

  /// Opens a regular file. Fails with `ErrorCode::io` for a file that is missing, may not be read, or is a folder or a
  /// pipe.
  static Result<LineReader> open(const std::string& path);

  /// Stores the next line, without its end (LF or CR LF). The view holds until the next call. Returns false at the end
  /// of the file and after a failure, which `failure()` tells apart.
  [[nodiscard]] bool next(std::string_view& line);

  /// Returns the number of the line that `next` stored last, counted from one.
  [[nodiscard]] std::int64_t line_number() const { return line_number_; }
  /// Returns true if that line was the last of the file and had no end, as happens if a file is cut off.
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
  /// The part of the buffer that was not handed out yet is [begin_, end_).
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  bool at_end_ = false;
  bool cut_off_ = false;
  std::int64_t line_number_ = 0;
  std::optional<Failure> failure_;
};

}  // namespace troupe::linalg
