/// The commands of `troupe experiment`.
#pragma once

#include "apps/command_line.hpp"

namespace troupe::apps {

/// The experiments that repeat a published one, as arguments of the application, and `scaling` below it.
void add_experiments(CLI::App& application, Command& chosen);
void add_scaling_command(CLI::App& application, Command& chosen);

}  // namespace troupe::apps
