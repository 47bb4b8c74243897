/// The program that writes manual pages, completions and the manual's tables from the code. The build runs it; it is
/// not installed.
#pragma once

#include <vector>

#include "apps/reference/command_pages.hpp"

namespace troupe::apps {

/// Runs `man FOLDER`, `completion FOLDER`, or in builds with the service `documents SOURCE`, which writes into
/// docs/reference of the source tree. `programs` are programs that `troupe` starts, besides the experiments. Returns
/// the exit code. Never throws.
int run_reference(int argc, const char* const* argv, const std::vector<CommandPage>& programs);

}  // namespace troupe::apps
