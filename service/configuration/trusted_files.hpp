/// Checks that nobody but the administrator can change certain files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "troupe/errors.hpp"

namespace troupe::service {

/// The shared objects (`*.so`) of a folder, in the order of their names, with their full paths.
struct TrustedFolder {
  std::vector<std::string> files;
  /// The reasons why files were left out, one message for each.
  std::vector<std::string> refused;
};

/// Checks that nobody but root, `user` and members of the process's own group can replace the file at `path`. Checks
/// every folder above the file, and symbolic links on the path. Fails with `bad_input`, or with `io` if a folder or a
/// link cannot be read.
[[nodiscard]] Result<void> check_way_to(const std::string& path, std::uint32_t user);

/// Returns the path to which `path` leads when symbolic links are followed; the file need not exist. The links, the
/// folders above and the file must belong to root or `user`. A folder that everybody may write must be sticky:
/// otherwise others could choose the file that is written. Fails with `bad_input` or `io`.
[[nodiscard]] Result<std::string> place_of_file(const std::string& path, std::uint32_t user);

/// Checks that nobody but root, `user` and members of the process's own group can change the content of the file. Fails
/// with `bad_input`, also for pipes and other files that are not regular, and with `io` if the file cannot be read.
[[nodiscard]] Result<void> check_trusted_file(const std::string& path, std::uint32_t user);

/// Lists a folder whose files the service will run. The folder, all folders above it, and each file must belong to root
/// or `user`, and nobody else may be able to write them. A folder above may let others write if it is sticky, like
/// /tmp: in such a folder only the owner of a file can replace the file. The path must not lead through symbolic links,
/// and a file may be a link only to a file of the same folder. Fails with `bad_input` if the folder itself breaks these
/// rules, and with `io` if the folder cannot be read.
[[nodiscard]] Result<TrustedFolder> look_at_trusted_folder(const std::string& folder, std::uint32_t user);

}  // namespace troupe::service
