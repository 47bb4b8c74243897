/// The commands of `troupe experiment`.
#pragma once

#include <memory>

#include "apps/command_line.hpp"

namespace troupe::apps {

/// Returns the application `troupe experiment`. Its argument is the name of a published experiment to repeat; `scaling`
/// is a command below it. `chosen` is used as in `make_application`.
[[nodiscard]] std::unique_ptr<CLI::App> make_experiments(Command& chosen);
void add_scaling_command(CLI::App& application, Command& chosen);

}  // namespace troupe::apps
