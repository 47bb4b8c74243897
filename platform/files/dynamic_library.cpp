#include "platform/files/dynamic_library.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <fmt/format.h>
#include <link.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <vector>

namespace troupe::platform {

namespace {

std::string last_error() {
  const char* const text = dlerror();
  return text != nullptr ? text : "the dynamic loader does not say why";
}

/// Returns the dynamic loader's record of a loaded library; null if the loader returns none.
const link_map* record_of(void* handle) {
  link_map* record = nullptr;
  return dlinfo(handle, RTLD_DI_LINKMAP, &record) == 0 ? record : nullptr;
}

template <class T>
bool read_at(std::ifstream& file, std::uint64_t offset, T& to) {
  return static_cast<bool>(
      file.seekg(static_cast<std::streamoff>(offset)).read(reinterpret_cast<char*>(&to), sizeof to));
}

/// Returns the smallest size that the file must have to contain every byte that the dynamic loader maps; 0 if it is not
/// known.
std::uint64_t mapped_bytes(std::ifstream& file) {
  ElfW(Ehdr) header{};
  if (!read_at(file, 0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return 0;
  std::uint64_t most = 0;
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    ElfW(Phdr) segment{};
    const std::uint64_t place = header.e_phoff + std::uint64_t{i} * header.e_phentsize;
    most = std::max<std::uint64_t>(most, place + sizeof segment);
    if (!read_at(file, place, segment)) break;
    if (segment.p_type != PT_LOAD) continue;
    std::uint64_t end = 0;
    if (__builtin_add_overflow(segment.p_offset, segment.p_filesz, &end)) end = ~std::uint64_t{0};
    most = std::max(most, end);
  }
  return most;
}

/// Returns the reason why the dynamic loader must not load the file at the path; empty if it may be loaded. If the file
/// is too short, the loader touches bytes that do not exist, and a signal ends the process. Names without a folder are
/// not checked.
std::string cut_off(const std::string& path) {
  if (path.find('/') == std::string::npos) return {};
  std::error_code unknown;
  const std::uintmax_t size = std::filesystem::file_size(path, unknown);
  if (unknown) return {};
  std::ifstream file(path, std::ios::binary);
  if (!file) return {};
  const std::uint64_t needed = mapped_bytes(file);
  if (needed <= size) return {};
  return fmt::format("{}: the file is cut off: it has {} bytes, and its headers name {}", path, size, needed);
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
    std::string reason = cut_off(place);
    if (reason.empty()) {
      if (void* const handle = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL)) return DynamicLibrary(handle, place);
      reason = last_error();
    }
    reasons += (reasons.empty() ? "" : "; ") + reason;
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
