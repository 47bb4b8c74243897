/// Completion of commands, options and values in shells, made from the command line's description.
#pragma once

#include <string>

#include "apps/reference/command_pages.hpp"

namespace troupe::apps {

/// Returns a script for bash that needs no functions of other packages. It completes commands, options (also in the
/// form `--option=value`), known values, and paths.
[[nodiscard]] std::string bash_completion(const CommandPage& whole);

/// Returns the function `_troupe` for zsh's completion system, with the options' descriptions.
[[nodiscard]] std::string zsh_completion(const CommandPage& whole);

}  // namespace troupe::apps
