#include "platform/files/dynamic_library.hpp"

#include <dlfcn.h>

#include <vector>

namespace troupe::platform {

namespace {

std::string last_error() {
  const char* const text = dlerror();
  return text != nullptr ? text : "the dynamic loader does not say why";
}

}  // namespace

Result<DynamicLibrary> DynamicLibrary::open(const std::string& file, std::span<const std::string> before,
                                            std::span<const std::string> after) {
  std::vector<std::string> places;
  for (const std::string& folder : before) {
    if (!folder.empty()) places.push_back(folder + "/" + file);
  }
  places.push_back(file);
  for (const std::string& folder : after) {
    if (!folder.empty()) places.push_back(folder + "/" + file);
  }
  std::string reasons;
  for (const std::string& place : places) {
    if (void* const handle = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL)) return DynamicLibrary(handle, place);
    reasons += (reasons.empty() ? "" : "; ") + last_error();
  }
  return Failure{ErrorCode::platform, file + " could not be loaded: " + reasons};
}

Result<void*> DynamicLibrary::find(const char* name) const {
  dlerror();
  if (void* const address = dlsym(handle_, name)) return address;
  return Failure{ErrorCode::platform, path_ + " has no function " + name};
}

}  // namespace troupe::platform
