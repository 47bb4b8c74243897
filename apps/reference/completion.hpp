/// Completion of commands, options and values in shells, from what the command line offers.
#pragma once

#include <string>

#include "apps/reference/command_pages.hpp"

namespace troupe::apps {

/// A script for bash, which needs no other package's functions. It completes commands, options, also `--option=value`,
/// values that are known, and paths.
[[nodiscard]] std::string bash_completion(const CommandPage& whole);

/// The function `_troupe` for zsh's completion system, with the options' descriptions.
[[nodiscard]] std::string zsh_completion(const CommandPage& whole);

}  // namespace troupe::apps
