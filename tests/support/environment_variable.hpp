/// Changes the environment of this process during one test case.
#pragma once

#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): setenv is POSIX

#include <optional>
#include <string>
#include <utility>

namespace troupe::tests {

/// Sets or removes an environment variable. The destructor restores the former value.
class EnvironmentVariable {
 public:
  EnvironmentVariable(std::string name, const std::optional<std::string>& value) : name_(std::move(name)) {
    if (const char* const before = ::getenv(name_.c_str())) before_ = before;
    set(value);
  }
  EnvironmentVariable(const EnvironmentVariable&) = delete;
  EnvironmentVariable& operator=(const EnvironmentVariable&) = delete;
  ~EnvironmentVariable() { set(before_); }

 private:
  void set(const std::optional<std::string>& value) const {
    value ? ::setenv(name_.c_str(), value->c_str(), 1) : ::unsetenv(name_.c_str());
  }

  std::string name_;
  std::optional<std::string> before_;
};

}  // namespace troupe::tests
