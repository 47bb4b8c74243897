/// The folder where programs keep data that they can find out again.
#pragma once

#include <string>

namespace troupe::platform {

/// The folder for Troupe's files in the user's cache (XDG Base Directory Specification): `$XDG_CACHE_HOME/troupe`, or
/// `$HOME/.cache/troupe` where that variable is unset, empty or no absolute path. It need not exist. Empty where `HOME`
/// does not help, either. Reads the environment: not while another thread changes it.
[[nodiscard]] std::string cache_folder();

}  // namespace troupe::platform
