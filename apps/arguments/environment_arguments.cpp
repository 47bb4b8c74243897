#include "apps/arguments/environment_arguments.hpp"

#include <stdlib.h>  // NOLINT: unsetenv is POSIX

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <string>
#include <vector>

#include "client/environment/variables.hpp"
#include "platform/environment_value.hpp"

namespace troupe::apps {

namespace {

/// Returns the environment variable that corresponds to the option; null if there is none.
const client::Variable* variable_of(const CLI::Option& option) {
  if (option.get_lnames().empty()) return nullptr;
  std::string name = "TROUPE_" + option.get_lnames().front();
  for (char& letter : name) {
    letter = letter == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  }
  const auto variables = client::variables();
  const auto found = std::ranges::find(variables, name, &client::Variable::name);
  return found == variables.end() ? nullptr : &*found;
}

/// Makes the variable's value the option's default, and marks the option with the variable's name. A value that the
/// runtime accepts but the option refuses is left to the runtime: for example restrictions of kernels that this command
/// does not run.
void take(const client::Variable& variable, CLI::Option& option) {
  const std::string name(variable.name);
  const std::string value = platform::environment_value(name);
  client::Settings ignored;
  if (value.empty() || !variable.set(ignored, value)) return;
  try {
    option.run_callback_for_default()->default_val(value);
  } catch (const CLI::Error&) {
    return;
  }
  option.envname(name);
  // Unset the variable: otherwise the parser would count the option as given.
  ::unsetenv(name.c_str());
}

void add_taken(const CLI::App& command, std::vector<std::string>& taken) {
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_envname().empty() || option->count() > 0) continue;
    taken.push_back(fmt::format("{}={}", option->get_envname(), option->get_default_str()));
  }
  for (const CLI::App* chosen : command.get_subcommands()) add_taken(*chosen, taken);
}

}  // namespace

void take_environment(CLI::App& command) {
  // CLI11 calls this function only for the command that the user chose, so that the variables do not apply to other
  // commands.
  command.preparse_callback([&command](std::size_t) {
    for (CLI::Option* option : command.get_options()) {
      if (const client::Variable* const variable = variable_of(*option)) take(*variable, *option);
    }
  });
}

std::string environment_note(const CLI::App& application) {
  std::vector<std::string> taken;
  add_taken(application, taken);
  return taken.empty() ? std::string() : fmt::format(" (the environment has {})", fmt::join(taken, ", "));
}

void settle_environment(const CLI::App& application) {
  for (const CLI::Option* option : application.get_options()) {
    if (option->count() == 0) continue;
    if (const auto* variable = variable_of(*option)) ::unsetenv(std::string(variable->name).c_str());
  }
  for (const CLI::App* chosen : application.get_subcommands()) settle_environment(*chosen);
}

}  // namespace troupe::apps
