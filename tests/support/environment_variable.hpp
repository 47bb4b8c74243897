/// The environment of this process, for one test case.
#pragma once

#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): setenv is POSIX

#include <string>
#include <utility>

namespace troupe::tests {

/// Sets an environment variable while it lives.
class EnvironmentVariable {
 public:
  EnvironmentVariable(std::string name, const std::string& value) : name_(std::move(name)) {
    if (const char* const before = ::getenv(name_.c_str())) {
      before_ = before;
      was_set_ = true;
    }
    ::setenv(name_.c_str(), value.c_str(), 1);
  }
  EnvironmentVariable(const EnvironmentVariable&) = delete;
  EnvironmentVariable& operator=(const EnvironmentVariable&) = delete;
  ~EnvironmentVariable() {
    if (was_set_) {
      ::setenv(name_.c_str(), before_.c_str(), 1);
    } else {
      ::unsetenv(name_.c_str());
    }
  }

 private:
  std::string name_;
  std::string before_;
  bool was_set_ = false;
};

}  // namespace troupe::tests
