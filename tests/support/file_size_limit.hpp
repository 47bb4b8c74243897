/// A limit on file sizes, to imitate a full disk.
#pragma once

#include <csignal>

#include "tests/support/resource_limit.hpp"

namespace troupe::tests {

/// While an object of this class lives, this process cannot make a file larger than `bytes`.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : limit_(RLIMIT_FSIZE, bytes) {}
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;
  ~FileSizeLimit() { std::signal(SIGXFSZ, previous_handler_); }

 private:
  void (*previous_handler_)(int) = std::signal(SIGXFSZ, SIG_IGN);
  ResourceLimit limit_;
};

}  // namespace troupe::tests
