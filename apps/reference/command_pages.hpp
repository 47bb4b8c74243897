/// The command line as plain data, from which manual pages, tables and completions are written.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace troupe::apps {

/// An option, or an argument, which has no name on the command line.
struct OptionEntry {
  /// The names, such as "--n" and "-h"; for an argument, its name in the documentation: "application".
  std::vector<std::string> names;
  /// The placeholder for the option's value: "N", "FILE", "cholesky|lu|qr"; empty if the option takes none.
  std::string value;
  /// All possible values, or the usual values if others are possible, too.
  std::vector<std::string> choices;
  /// The range of a number, such as "1 to 1024"; empty if there are no bounds.
  std::string range;
  /// The default value; empty if there is none.
  std::string default_value;
  std::string description;
  /// The title under which `--help` shows the option.
  std::string group;
  bool required = false;
  /// True if the option may be given more than once or may have more than one value.
  bool repeated = false;
  /// True if the option's value is, or may be, a path.
  bool path = false;
};

/// A command of the program, or one of its subcommands, with its description for the manual.
struct CommandPage {
  /// The full name, such as "troupe model show".
  std::string name;
  std::string description;
  std::vector<OptionEntry> arguments;
  std::vector<OptionEntry> options;
  std::vector<CommandPage> commands;

  /// Returns the last word of the name, such as "show".
  [[nodiscard]] std::string last_name() const;
};

/// Returns the application's commands and options. Texts that depend on the user's home folder are written with `~`,
/// for any user.
[[nodiscard]] CommandPage page_of(const CLI::App& application);

/// Returns the whole command line of `troupe`, with the commands of the separate program for experiments and of the
/// separate programs in `programs`. Changes the environment for a moment: do not call it while another thread reads the
/// environment.
[[nodiscard]] CommandPage whole_command_line(const std::vector<CommandPage>& programs = {});

/// Calls `visit(page)` for the page and all pages below it, parents first.
template <class Visit>
void for_each_page(const CommandPage& page, const Visit& visit) {
  visit(page);
  for (const CommandPage& command : page.commands) for_each_page(command, visit);
}

}  // namespace troupe::apps
