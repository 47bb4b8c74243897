/// Commands and their options as CLI11 has them, in which a command without a name is a group of options.
#pragma once

#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace troupe::apps {

/// The commands right below this one.
[[nodiscard]] std::vector<const CLI::App*> commands_of(const CLI::App& application);

/// The options and arguments of the command and of its groups.
[[nodiscard]] std::vector<const CLI::Option*> options_of(const CLI::App& command);

}  // namespace troupe::apps
