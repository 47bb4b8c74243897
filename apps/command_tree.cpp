#include "apps/command_tree.hpp"

#include <CLI/CLI.hpp>

namespace troupe::apps {

std::vector<const CLI::App*> commands_of(const CLI::App& application) {
  return application.get_subcommands([](const CLI::App* one) { return !one->get_name().empty(); });
}

std::vector<const CLI::Option*> options_of(const CLI::App& command) {
  std::vector<const CLI::Option*> options = command.get_options();
  for (const CLI::App* group : command.get_subcommands([](const CLI::App* one) { return one->get_name().empty(); })) {
    for (const CLI::Option* option : options_of(*group)) {
      // Leave out the help option of the group, because the command has a help option itself.
      if (option != group->get_help_ptr()) options.push_back(option);
    }
  }
  return options;
}

}  // namespace troupe::apps
