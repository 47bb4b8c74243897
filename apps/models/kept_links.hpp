/// The speeds of links between this machine's memories, measured once and stored beside the kernel times.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "platform/accelerators/accelerator.hpp"
#include "troupe/errors.hpp"

namespace troupe::apps {

/// Speeds by the names of the source and target memories: "host", "GPU 0 (NVIDIA H200)". The map is sorted, so that
/// files and tables are sorted, too.
using LinkSpeeds = std::map<std::pair<std::string, std::string>, platform::CopySpeed>;

/// Returns the path of the file in `folder` with the links of machines with this key.
[[nodiscard]] std::string links_path(const std::string& folder, const std::string& machine_key);

/// Reads the links of a file, a JSON object with a version, the machine's key and a checksum. Returns no links if the
/// file does not exist. Fails with `io` if the file cannot be read, and with `bad_input` if its content cannot be used.
[[nodiscard]] Result<LinkSpeeds> read_links(const std::string& path, const std::string& machine_key);

/// Writes the links: replaces the file atomically, and makes the folder if necessary. Fails with `io`.
[[nodiscard]] Result<void> write_links(const std::string& path, const std::string& machine_key,
                                       const LinkSpeeds& links);

}  // namespace troupe::apps
