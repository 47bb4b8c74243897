/// `troupe help [COMMAND]`: prints what `troupe COMMAND --help` prints.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "apps/command_line.hpp"
#include "apps/command_tree.hpp"
#include "apps/usage_message.hpp"

namespace troupe::apps {

namespace {

int help(const CLI::App& application, const std::vector<std::string>& words) {
  const CLI::App* command = &application;
  std::string path = application.get_name();
  auto word = words.begin();
  // Words after a command without subcommands are the command's arguments, such as `cholesky` in `run cholesky`.
  for (auto commands = commands_of(*command); word != words.end() && !commands.empty(); ++word) {
    const auto named = std::ranges::find(commands, *word, &CLI::App::get_name);
    if (named == commands.end()) {
      throw Error(ErrorCode::invalid_argument, fmt::format("help: {}", unknown_command(*command, *word)));
    }
    command = *named;
    path += ' ' + command->get_name();
    commands = commands_of(*command);
  }
  if (is_other_program(command->get_name())) {
    std::vector<std::string> rest(word, words.end());
    rest.emplace_back("--help");
    return run_other_program(command->get_name(), std::move(rest));
  }
  // `CLI::App::help` would print the help of the command that was parsed, not of the command that was found here.
  fmt::print("{}", command->get_formatter()->make_help(command, path, CLI::AppFormatMode::Normal));
  return kSuccess;
}

}  // namespace

void add_help_command(CLI::App& application, Command& chosen) {
  auto words = std::make_shared<std::vector<std::string>>();
  CLI::App* command = application.add_subcommand("help", "Say what a command does and which options it has");
  command->add_option("command", *words, "The command, such as run, or model show; default: all are listed");
  command->callback(
      [&application, words, &chosen] { chosen = [&application, words] { return help(application, *words); }; });
}

}  // namespace troupe::apps
