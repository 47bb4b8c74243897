/// Captures the text that this process writes to standard error during one test case.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <cstdio>
#include <string>

#include "tests/support/temporary_folder.hpp"

namespace troupe::tests {

/// While an object of this class lives, standard error goes into a file.
class CapturedErrors {
 public:
  CapturedErrors() {
    std::fflush(stderr);
    const int file = ::open(folder_.path("errors").c_str(), O_CREAT | O_WRONLY | O_APPEND, 0600);
    BOOST_REQUIRE(file >= 0);
    ::dup2(file, STDERR_FILENO);
    ::close(file);
  }
  CapturedErrors(const CapturedErrors&) = delete;
  CapturedErrors& operator=(const CapturedErrors&) = delete;
  ~CapturedErrors() {
    std::fflush(stderr);
    ::dup2(before_, STDERR_FILENO);
    ::close(before_);
  }

  [[nodiscard]] std::string text() const {
    std::fflush(stderr);
    return folder_.read("errors");
  }

 private:
  TemporaryFolder folder_;
  const int before_ = ::dup(STDERR_FILENO);
};

}  // namespace troupe::tests
