#include "actors/memory/eviction/reuse_profile.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "platform/files/atomic_file.hpp"
#include "platform/files/file_text.hpp"
#include "platform/files/json_field.hpp"
#include "proto/json/json.hpp"
#include "troupe/units.hpp"

namespace troupe::memory {

namespace {

constexpr Bytes kLargestFile{std::uint64_t{256} << 20U};
constexpr std::uint64_t kVersion = 1;
constexpr const char* kFormat = "troupe reuse profile";
/// The largest count that a file may have. Counts become reuse indexes, which are signed numbers.
constexpr std::uint64_t kMost = std::uint64_t{1} << 62U;

ReuseProfile parse(const std::string& text) {
  const platform::JsonDocument document(text);
  const platform::JsonField root = document.root();
  if (root.member("format").text(kFormat) != kFormat) root.member("format").refuse(kFormat);
  if (root.member("version").count(1, kMost, "a version") != kVersion) {
    root.member("version").refuse(fmt::format("{}, which this version of Troupe writes", kVersion));
  }
  const platform::JsonField counts = root.member("uses");
  std::vector<std::uint64_t> uses(counts.size("a list of counts"));
  for (std::size_t i = 0; i < uses.size(); ++i) uses[i] = counts.element(i).count(0, kMost, "a count of uses");
  return ReuseProfile(std::move(uses));
}

}  // namespace

Result<ReuseProfile> read_reuse_profile(const std::string& path) {
  const Result<std::string> text = platform::read_text(path, kLargestFile, "reuse profile");
  if (!text) return text.failure();
  try {
    return parse(text.value());
  } catch (const std::exception& error) {
    return Failure{ErrorCode::bad_input, fmt::format("the reuse profile '{}' cannot be used: {}", path, error.what())};
  }
}

Result<void> write_reuse_profile(const std::string& path, const ReuseProfile& profile) {
  const Json whole{{"format", kFormat}, {"version", kVersion}, {"uses", profile.uses()}};
  return platform::write_file(path, whole.dump() + '\n');
}

KeptReuseProfile::KeptReuseProfile(std::string path, std::function<void(const std::string&)> warn)
    : path_(std::move(path)), warn_(std::move(warn)) {
  if (path_.empty()) return;
  std::error_code ignored;
  if (std::filesystem::exists(path_, ignored) || ignored) {
    auto read = read_reuse_profile(path_);
    if (read) {
      learned_ = std::make_unique<ReuseProfile>(std::move(read).value());
      return;
    }
    this->warn(read.failure().message + "; this run counts uses anew");
  }
  recorded_ = std::make_shared<ReuseProfile>();
}

void KeptReuseProfile::save() noexcept {
  if (!recorded_ || recorded_->uses().empty()) return;
  try {
    if (const auto written = write_reuse_profile(path_, *recorded_); !written) {
      warn(written.failure().message + "; how often data were used is lost");
    }
  } catch (...) {
    // No memory is left. A runtime that ends must not throw, so the profile is not written.
  }
}

void KeptReuseProfile::warn(const std::string& what) noexcept {
  try {
    if (warn_) warn_(what);
  } catch (...) {
    // `warn_` is the program's function: its exceptions must not keep a runtime from starting or ending.
  }
}

}  // namespace troupe::memory
