/// Environment variables of this process.
#pragma once

#include <stdlib.h>  // NOLINT: secure_getenv is in no C++ header

#include <string>
#include <string_view>

namespace troupe::platform {

/// Returns the variable's value; empty if it is not set, or if the program runs with more rights than its user has.
/// Must not be called while another thread changes the environment.
[[nodiscard]] inline std::string environment_value(std::string_view name) {
  const char* const value = ::secure_getenv(std::string(name).c_str());
  return value == nullptr ? std::string() : std::string(value);
}

}  // namespace troupe::platform
