/// The speeds of links between this machine's memories, measured once and kept beside the kernel times.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "platform/accelerators/accelerator.hpp"
#include "platform/machine/machine.hpp"
#include "proto/errors.hpp"

namespace troupe::actors {

/// By the names of the memories, from and to: "host", "GPU 0 (NVIDIA H200)". Sorted, so that files and tables are.
using LinkSpeeds = std::map<std::pair<std::string, std::string>, platform::CopySpeed>;

/// The file of links of such machines in a folder.
[[nodiscard]] std::string links_path(const std::string& folder, const std::string& machine_key);

/// A JSON object with a version, the machine's key and a checksum. Where there is no such file: none. Fails with `io`
/// where it cannot be read, with `bad_input` where it cannot be used.
[[nodiscard]] Result<LinkSpeeds> read_links(const std::string& path, const std::string& machine_key);

/// Replaces the file in one go. Makes the folder. Fails with `io`.
[[nodiscard]] Result<void> write_links(const std::string& path, const std::string& machine_key,
                                       const LinkSpeeds& links);

/// What a runtime knows of links when it starts, and what it adds. One thread at a time.
class KeptLinks {
 public:
  /// `folder`: empty to begin with nothing and to keep nothing. `warn`: see `RuntimeOptions::on_warning`; told of a
  /// file that cannot be used, after which all links are unknown, and of one that cannot be written.
  KeptLinks(const std::string& folder, const platform::Machine& machine, std::function<void(const std::string&)> warn);

  /// Nothing: it has to be measured.
  [[nodiscard]] std::optional<platform::CopySpeed> find(const std::string& from, const std::string& to) const;
  void set(const std::string& from, const std::string& to, platform::CopySpeed speed);
  [[nodiscard]] const LinkSpeeds& links() const { return links_; }
  /// Writes them down if any was set.
  void save() noexcept;

 private:
  void warn(const std::string& what) noexcept;

  const std::string machine_key_;
  /// Empty: nothing is kept.
  const std::string path_;
  const std::function<void(const std::string&)> warn_;
  LinkSpeeds links_;
  bool changed_ = false;
};

}  // namespace troupe::actors
