/// Lists commands and options as the user sees them: in CLI11, a command without a name is a group of options.
#pragma once

#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace troupe::apps {

/// Returns the commands directly below this command.
[[nodiscard]] std::vector<const CLI::App*> commands_of(const CLI::App& application);

/// Returns the options and arguments of the command and of its groups.
[[nodiscard]] std::vector<const CLI::Option*> options_of(const CLI::App& command);

}  // namespace troupe::apps
