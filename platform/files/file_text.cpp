#include "platform/files/file_text.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>

namespace troupe::platform {

Result<std::string> read_text(const std::string& path, Bytes most, std::string_view what) {
  const auto failed = [&](const char* action, int error_number) {
    return Failure{ErrorCode::io, fmt::format("cannot {} the {} '{}': {}", action, what, path,
                                              std::generic_category().message(error_number))};
  };
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
  if (!file) return failed("open", errno);
  std::string text;
  constexpr std::size_t kChunk = std::size_t{1} << 16U;
  for (std::size_t got = kChunk; got == kChunk;) {
    const std::size_t before = text.size();
    text.resize(before + kChunk);
    got = std::fread(text.data() + before, 1, kChunk, file.get());
    if (std::ferror(file.get()) != 0) return failed("read", errno);
    text.resize(before + got);
    if (text.size() > most.count) {
      return Failure{ErrorCode::bad_input,
                     fmt::format("'{}' is larger than {} MiB, too large for a {}", path, most.count >> 20U, what)};
    }
  }
  return text;
}

}  // namespace troupe::platform
