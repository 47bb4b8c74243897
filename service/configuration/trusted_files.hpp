/// Files that nobody but the administrator can change.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "proto/errors.hpp"

namespace troupe::service {

/// The shared objects (`*.so`) of a folder, in the order of their names, with their full paths.
struct TrustedFolder {
  std::vector<std::string> files;
  /// Those that were left out, and why.
  std::vector<std::string> refused;
};

/// Whether nobody but root, `user` and members of his own group can exchange what lies at `path`: so it must be for
/// every folder above it, and for symbolic links on the way. Fails with `bad_input`, or `io` where one cannot be read.
[[nodiscard]] Result<void> check_way_to(const std::string& path, std::uint32_t user);

/// Where a file of this name is, or would be made: behind the symbolic links that the name leads through. Those, the
/// folders above and the file must belong to root or `user`, and folders must not be anybody's to write but where they
/// are sticky; else others would choose what is written to. Fails with `bad_input`, or `io`.
[[nodiscard]] Result<std::string> place_of_file(const std::string& path, std::uint32_t user);

/// Whether nobody but root, `user` and members of his own group can change what the file says. Fails with `bad_input`
/// also where it is no file, as a pipe is none; with `io` where it cannot be read.
[[nodiscard]] Result<void> check_trusted_file(const std::string& path, std::uint32_t user);

/// Looks at a folder whose files the service will run. The folder, all folders above it, and each file must belong to
/// root or `user`, and nobody else may be able to write them; a folder above it may let others write where it is
/// sticky, as /tmp is: what lies there can be exchanged by its owner alone. The path must not lead through symbolic
/// links, and a file may be one only to a file of the same folder. Fails with `bad_input` where the folder itself is
/// not so, with `io` where it cannot be read.
[[nodiscard]] Result<TrustedFolder> look_at_trusted_folder(const std::string& folder, std::uint32_t user);

}  // namespace troupe::service
