/// The folder in which programs keep data that they can compute again.
#pragma once

#include <string>

namespace troupe::platform {

/// Returns the folder for Troupe's files in the user's cache (XDG Base Directory Specification):
/// `$XDG_CACHE_HOME/troupe`, or `$HOME/.cache/troupe` if `XDG_CACHE_HOME` is unset, empty or not an absolute path. The
/// folder may not exist yet. Returns an empty text if `HOME` is not an absolute path, either. Reads the environment,
/// which no other thread may change during the call.
[[nodiscard]] std::string cache_folder();

}  // namespace troupe::platform
