#include "platform/files/cache_folder.hpp"

#include "platform/environment_value.hpp"

namespace troupe::platform {

namespace {

/// Returns the variable's value if it is an absolute path, otherwise an empty text.
std::string absolute_path(const char* variable) {
  std::string value = environment_value(variable);
  return value.starts_with('/') ? value : std::string();
}

}  // namespace

std::string cache_folder() {
  if (const std::string cache = absolute_path("XDG_CACHE_HOME"); !cache.empty()) return cache + "/troupe";
  const std::string home = absolute_path("HOME");
  return home.empty() ? home : home + "/.cache/troupe";
}

}  // namespace troupe::platform
