/// How often each handle was used: one run's experience for the next.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "proto/errors.hpp"
#include "proto/ids.hpp"

namespace troupe::memory {

/// Counts uses by handle, in the order in which handles were registered: it means something to a run that registers the
/// same data in the same order. Eight bytes a handle.
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

/// A JSON object with a version and the counts. Fails with `io` where it cannot be read, with `bad_input` where it is
/// larger than 256 MiB, of another version or damaged.
[[nodiscard]] Result<ReuseProfile> read_reuse_profile(const std::string& path);
/// Replaces the file in one go. Fails with `io`.
[[nodiscard]] Result<void> write_reuse_profile(const std::string& path, const ReuseProfile& profile);

/// The file that a runtime goes by, or leaves behind where there was none: see `RuntimeOptions::reuse_profile`.
class KeptReuseProfile {
 public:
  /// Reads the file, if `path` is not empty and it is there. `warn`: told of a file that cannot be used, as if there
  /// were none, or cannot be written; may be null.
  KeptReuseProfile(std::string path, std::function<void(const std::string&)> warn);

  /// What an earlier run has left; null if there is none.
  [[nodiscard]] const ReuseProfile* learned() const { return learned_.get(); }
  /// What this run is to fill; null if there is no need.
  [[nodiscard]] const std::shared_ptr<ReuseProfile>& recorded() const { return recorded_; }
  /// Writes what was recorded. Nobody adds to it meanwhile.
  void save() noexcept;

 private:
  void warn(const std::string& what) noexcept;

  const std::string path_;
  const std::function<void(const std::string&)> warn_;
  std::unique_ptr<ReuseProfile> learned_;
  std::shared_ptr<ReuseProfile> recorded_;
};

}  // namespace troupe::memory
