/// The folder in which programs keep data that they can compute again.
#pragma once

#include <string>

namespace troupe::platform {

/// Returns the folder for Troupe's files in the user's cache (XDG Base Directory Specification):
/// `$XDG_CACHE_HOME/troupe`, or `$HOME/.cache/troupe` where that variable is unset, empty or no absolute path. It need
/// not exist. Empty if `HOME` is no absolute path, either. Reads the environment, so no other thread may change it
/// meanwhile.
[[nodiscard]] std::string cache_folder();

}  // namespace troupe::platform
