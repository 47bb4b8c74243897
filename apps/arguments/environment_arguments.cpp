#include "apps/arguments/environment_arguments.hpp"

#include <stdlib.h>  // NOLINT: unsetenv is POSIX

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <string>

#include "client/environment/variables.hpp"

namespace troupe::apps {

namespace {

/// The variable that is to a runtime what the option is to a command; null where there is none.
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

bool can_be_used(const client::Variable& variable) {
  const char* const value = std::getenv(std::string(variable.name).c_str());
  client::Settings ignored;
  return value != nullptr && *value != '\0' && variable.set(ignored, value);
}

}  // namespace

void take_environment(CLI::App& command) {
  // When the command turns out to be the one that is asked for: the parser would read the variables of all.
  command.preparse_callback([&command](std::size_t) {
    for (CLI::Option* option : command.get_options()) {
      const client::Variable* const variable = variable_of(*option);
      if (variable != nullptr && can_be_used(*variable)) option->envname(std::string(variable->name));
    }
  });
}

void settle_environment(const CLI::App& application) {
  for (const CLI::Option* option : application.get_options()) {
    if (option->count() == 0) continue;
    if (const auto* variable = variable_of(*option)) ::unsetenv(std::string(variable->name).c_str());
  }
  for (const CLI::App* chosen : application.get_subcommands()) settle_environment(*chosen);
}

}  // namespace troupe::apps
