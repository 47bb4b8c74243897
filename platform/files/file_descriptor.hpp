/// A POSIX file descriptor that is closed when its owner is destroyed.
#pragma once

#include <unistd.h>

#include <utility>

namespace troupe::platform {

class FileDescriptor {
 public:
  FileDescriptor() = default;
  /// Takes ownership of `fd`; -1 stands for none.
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    if (this != &other) {
      reset();
      fd_ = std::exchange(other.fd_, -1);
    }
    return *this;
  }
  ~FileDescriptor() { reset(); }

  [[nodiscard]] int get() const { return fd_; }
  [[nodiscard]] bool valid() const { return fd_ >= 0; }

  /// Returns the descriptor, which the caller then owns.
  [[nodiscard]] int release() { return std::exchange(fd_, -1); }

  /// Closes the descriptor and returns the result of close(), or 0 if there was no descriptor. Check the result after
  /// writing: some file systems report only in close() that data could not be written.
  int reset() {
    const int fd = std::exchange(fd_, -1);
    return fd >= 0 ? ::close(fd) : 0;
  }

 private:
  int fd_ = -1;
};

}  // namespace troupe::platform
