/// The program that generates manual pages, completions and the manual's tables from the code. The build runs this
/// program; it is not installed.
#pragma once

#include <vector>

#include "apps/reference/command_pages.hpp"

namespace troupe::apps {

/// Runs one of the commands `man FOLDER`, `completion FOLDER` and, in builds with the service, `documents SOURCE`,
/// which writes to docs/reference of the source tree. `programs` are the programs that `troupe` can start, except the
/// experiments. Returns the exit code. Never throws.
int run_reference(int argc, const char* const* argv, const std::vector<CommandPage>& programs);

}  // namespace troupe::apps
