#include "platform/files/cache_folder.hpp"

#include <cstdlib>

namespace troupe::platform {

namespace {

/// The variable's value if it is an absolute path, else empty.
std::string absolute_path(const char* variable) {
  const char* const value = std::getenv(variable);
  return value != nullptr && *value == '/' ? std::string(value) : std::string();
}

}  // namespace

std::string cache_folder() {
  if (const std::string cache = absolute_path("XDG_CACHE_HOME"); !cache.empty()) return cache + "/troupe";
  const std::string home = absolute_path("HOME");
  return home.empty() ? home : home + "/.cache/troupe";
}

}  // namespace troupe::platform
