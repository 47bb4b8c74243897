/// The command line as plain data: what manual pages, tables and completions are written from.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace troupe::apps {

/// An option, or an argument without a name in front of it.
struct OptionEntry {
  /// "--n", "-h"; of an argument its name: "application".
  std::vector<std::string> names;
  /// What stands for its value: "N", "FILE", "cholesky|lu|qr"; empty: it takes none.
  std::string value;
  /// What the value may be, where these are all or the usual ones.
  std::vector<std::string> choices;
  /// "1 to 1024", where the value is a number within bounds.
  std::string range;
  /// Empty: none.
  std::string default_value;
  std::string description;
  /// Under which title `--help` shows it.
  std::string group;
  bool required = false;
  /// May be given, or have values, more than once.
  bool repeated = false;
  /// Its value is, or may be, a path.
  bool path = false;
};

/// A command, or a command of a command.
struct CommandPage {
  /// "troupe model show".
  std::string name;
  std::string description;
  std::vector<OptionEntry> arguments;
  std::vector<OptionEntry> options;
  std::vector<CommandPage> commands;

  /// "show"
  [[nodiscard]] std::string last_name() const;
};

/// What the application offers. What depends on where it runs (a user's home) is written as for anybody: `~`.
[[nodiscard]] CommandPage page_of(const CLI::App& application);

/// All of `troupe`, with the commands of the experiments, which are a program of their own, and of `programs`, which
/// are others. Changes the environment for a moment: not while another thread reads it.
[[nodiscard]] CommandPage whole_command_line(const std::vector<CommandPage>& programs = {});

/// Calls `visit(page)` for the page and all below it, parents first.
template <class Visit>
void for_each_page(const CommandPage& page, const Visit& visit) {
  visit(page);
  for (const CommandPage& command : page.commands) for_each_page(command, visit);
}

}  // namespace troupe::apps
