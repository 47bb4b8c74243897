/// The speeds of links between this machine's memories, measured once and kept beside the kernel times.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "platform/accelerators/accelerator.hpp"
#include "proto/errors.hpp"

namespace troupe::apps {

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

}  // namespace troupe::apps
