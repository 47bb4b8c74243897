#include "platform/files/checked_file.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "platform/files/atomic_file.hpp"
#include "platform/files/file_text.hpp"
#include "proto/json/json.hpp"

namespace troupe::platform {

namespace {

constexpr Bytes kLargestFile{std::uint64_t{64} << 20U};
constexpr std::uint64_t kMostVersion = std::uint64_t{1} << 60U;

std::string text_of(const Json& value) { return value.dump(); }

/// Returns the FNV-1a hash of the content's text. Without this checksum a flipped digit would be read as a wrong
/// number.
std::string checksum_of(const std::string& content) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char c : content) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  }
  return fmt::format("{:016x}", hash);
}

void parse(const std::string& text, const CheckedFormat& format, const std::string& machine_key,
           const std::function<void(const JsonField&)>& read) {
  const JsonDocument document(text);
  const JsonField root = document.root();
  if (root.member("format").text(format.name) != format.name) root.member("format").refuse(format.name);
  const std::uint64_t version = root.member("version").count(1, kMostVersion, "a version");
  if (version < format.oldest_version || version > format.version) {
    root.member("version").refuse(fmt::format("{}, which this version of Troupe writes", format.version));
  }
  if (root.member("machine").text("a machine") != machine_key) root.member("machine").refuse(machine_key);
  const JsonField content = root.member(format.content);
  if (!content.present() || root.member("checksum").text("a checksum") != checksum_of(content.dumped())) {
    root.member("checksum").fail("does not belong to the content");
  }
  read(content);
}

}  // namespace

Result<void> read_checked(const std::string& path, const CheckedFormat& format, const std::string& machine_key,
                          const std::function<void(const JsonField&)>& read) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored) && !ignored) return {};
  const Result<std::string> text = read_text(path, kLargestFile, format.what);
  if (!text) return text.failure();
  try {
    parse(text.value(), format, machine_key, read);
    return {};
  } catch (const std::exception& error) {
    return Failure{ErrorCode::bad_input,
                   fmt::format("the {} '{}' cannot be used: {}", format.what, path, error.what())};
  }
}

Result<void> write_checked(const std::string& path, const CheckedFormat& format, const std::string& machine_key,
                           Json content) {
  const std::string checksum = checksum_of(text_of(content));
  const Json whole{{"format", format.name},
                   {"version", format.version},
                   {"machine", machine_key},
                   {format.content, std::move(content)},
                   {"checksum", checksum}};
  std::error_code made;
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (!folder.empty()) std::filesystem::create_directories(folder, made);
  if (made) {
    return Failure{ErrorCode::io, fmt::format("cannot make the folder '{}': {}", folder.string(), made.message())};
  }
  return write_file(path, text_of(whole) + '\n');
}

}  // namespace troupe::platform
