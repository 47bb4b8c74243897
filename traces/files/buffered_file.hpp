/// Formatted text that is written to a file in large pieces.
#pragma once

#include <fmt/format.h>

#include <iterator>
#include <utility>

#include "platform/files/atomic_file.hpp"

namespace troupe::traces {

/// Collects text and writes it in pieces of about 64 KiB, so that a large file needs little memory. After the first
/// failure, text that is printed is dropped, and `commit` returns the failure.
class BufferedFile {
 public:
  explicit BufferedFile(platform::AtomicFile file) : file_(std::move(file)) {}

  template <class... Args>
  void print(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(buffer_), format, std::forward<Args>(args)...);
    if (buffer_.size() >= kPiece) flush();
  }

  /// Returns true if a write has failed. Text that is printed from now on is then dropped.
  [[nodiscard]] bool failed() const { return !outcome_.ok(); }
  /// Writes the text that is still in the buffer, and moves the file to its place. Call this function once.
  Result<void> commit() {
    flush();
    return failed() ? outcome_ : file_.commit();
  }

 private:
  static constexpr std::size_t kPiece = 1U << 16U;

  void flush() {
    if (!failed()) outcome_ = file_.write({buffer_.data(), buffer_.size()});
    buffer_.clear();
  }

  platform::AtomicFile file_;
  fmt::memory_buffer buffer_;
  Result<void> outcome_;
};

}  // namespace troupe::traces
