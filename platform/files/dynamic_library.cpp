#include "platform/files/dynamic_library.hpp"

#include <dlfcn.h>
#include <link.h>

#include <filesystem>
#include <system_error>
#include <vector>

namespace troupe::platform {

namespace {

std::string last_error() {
  const char* const text = dlerror();
  return text != nullptr ? text : "the dynamic loader does not say why";
}

/// What the dynamic loader has for each library that is loaded; null where it does not say.
const link_map* record_of(void* handle) {
  link_map* record = nullptr;
  return dlinfo(handle, RTLD_DI_LINKMAP, &record) == 0 ? record : nullptr;
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

std::string DynamicLibrary::file() const {
  const link_map* const record = record_of(handle_);
  if (record == nullptr || record->l_name == nullptr || *record->l_name == '\0') return path_;
  std::error_code error;
  const std::filesystem::path file = std::filesystem::canonical(record->l_name, error);
  return error ? record->l_name : file.string();
}

bool DynamicLibrary::has(const void* address) const {
  Dl_info info{};
  link_map* record = nullptr;
  if (dladdr1(address, &info, reinterpret_cast<void**>(&record), RTLD_DL_LINKMAP) == 0) return false;
  return record != nullptr && record == record_of(handle_);
}

}  // namespace troupe::platform
