/// Reuse profile: the number of uses of each handle, which one run stores for the next run.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "troupe/errors.hpp"
#include "troupe/ids.hpp"

namespace troupe::memory {

/// The number of uses of each handle, in the order of registration. The counts help only a run that registers the same
/// data in the same order. Memory: eight bytes per handle.
class ReuseProfile {
 public:
  ReuseProfile() = default;
  explicit ReuseProfile(std::vector<std::uint64_t> uses) : uses_(std::move(uses)) {}

  void used(HandleId handle) {
    if (handle.index() >= uses_.size()) uses_.resize(handle.index() + 1);
    ++uses_[handle.index()];
  }
  [[nodiscard]] const std::vector<std::uint64_t>& uses() const { return uses_; }

 private:
  std::vector<std::uint64_t> uses_;
};

/// Reads a JSON object with a version and the counts. Fails with `io` if the file cannot be read, with `bad_input` if
/// the file is larger than 256 MiB, has another version or is damaged.
[[nodiscard]] Result<ReuseProfile> read_reuse_profile(const std::string& path);
/// Writes the profile to a file, which is replaced in one step. Fails with `io`.
[[nodiscard]] Result<void> write_reuse_profile(const std::string& path, const ReuseProfile& profile);

/// The file of use counts: a runtime reads the file, or writes it if the file is missing
/// (`AcceleratorOptions::reuse_profile`).
class KeptReuseProfile {
 public:
  /// Reads the file, if `path` is not empty and the file exists. A file that cannot be used counts as missing. `warn`
  /// is called if the file cannot be used or written; `warn` may be null.
  KeptReuseProfile(std::string path, std::function<void(const std::string&)> warn);

  /// Returns the profile of an earlier run; null if there is none.
  [[nodiscard]] const ReuseProfile* learned() const { return learned_.get(); }
  /// Returns the profile that this run fills; null if this run fills no profile.
  [[nodiscard]] const std::shared_ptr<ReuseProfile>& recorded() const { return recorded_; }
  /// Writes the recorded profile. No other thread may count uses during the call.
  void save() noexcept;

 private:
  void warn(const std::string& what) noexcept;

  const std::string path_;
  const std::function<void(const std::string&)> warn_;
  std::unique_ptr<ReuseProfile> learned_;
  std::shared_ptr<ReuseProfile> recorded_;
};

}  // namespace troupe::memory
