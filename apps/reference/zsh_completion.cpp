#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

#include "apps/reference/completion.hpp"

namespace troupe::apps {

namespace {

/// Quotes text for single quotes of zsh, inside a specification of `_arguments`, in which brackets and colons have a
/// special meaning.
std::string quoted_for_zsh(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '\'') {
      result += "'\\''";
      continue;
    }
    if (c == '[' || c == ']' || c == ':' || c == '\\') result += '\\';
    result += c;
  }
  return result;
}

std::string action_of(const OptionEntry& entry) {
  std::vector<std::string> choices;
  std::ranges::transform(entry.choices, std::back_inserter(choices), quoted_for_zsh);
  if (choices.empty()) return entry.path ? "_files" : " ";
  if (entry.path) return fmt::format(" _troupe_known {}", fmt::join(choices, " "));
  return fmt::format("({})", fmt::join(choices, " "));
}

/// Returns a specification such as "--n[Order of the matrix]:N: ".
std::string specification(const std::string& name, const OptionEntry& option) {
  std::string text = option.repeated ? "*" : "";
  text += fmt::format("{}[{}]", name, quoted_for_zsh(option.description));
  if (!option.value.empty()) text += fmt::format(":{}:{}", quoted_for_zsh(option.value), action_of(option));
  return text;
}

std::string function_name(const std::string& command) {
  std::string name = "_" + command;
  std::ranges::replace(name, ' ', '_');
  std::ranges::replace(name, '-', '_');
  return name;
}

std::string arguments_of(const CommandPage& page) {
  std::string text;
  for (const OptionEntry& option : page.options) {
    for (const std::string& name : option.names) text += fmt::format(" \\\n    '{}'", specification(name, option));
  }
  for (const OptionEntry& argument : page.arguments) {
    const char* const many = argument.repeated ? "*:" : argument.required ? ":" : "::";
    text += fmt::format(" \\\n    '{}{}:{}'", many, quoted_for_zsh(argument.names.front()), action_of(argument));
  }
  return text;
}

/// Returns a shell function that completes a command with subcommands: first the name of a subcommand, then the
/// subcommand's own words.
std::string function_with_commands(const CommandPage& page) {
  std::string commands;
  std::string cases;
  for (const CommandPage& command : page.commands) {
    commands +=
        fmt::format("\n        '{}:{}'", quoted_for_zsh(command.last_name()), quoted_for_zsh(command.description));
    cases += fmt::format("        {}) {} ;;\n", command.last_name(), function_name(command.name));
  }
  std::string first;
  for (const OptionEntry& argument : page.arguments) first += fmt::format(" {}", fmt::join(argument.choices, " "));
  CommandPage options = page;
  options.arguments.clear();
  // If the first word is not a subcommand, the page's own options follow it.
  if (!page.arguments.empty()) cases += fmt::format("        *) _arguments{} ;;\n", arguments_of(options));
  return fmt::format(R"({}() {{
  local curcontext="$curcontext" state line
  _arguments -C{} \
    '1: :->command' '*:: :->rest'
  case $state in
    command)
      local -a commands=({}
      )
      _describe command commands
      {}
      ;;
    rest)
      case $line[1] in
{}      esac
      ;;
  esac
}}
)",
                     function_name(page.name), arguments_of(options), commands,
                     first.empty() ? ":" : "compadd --" + first, cases);
}

}  // namespace

std::string zsh_completion(const CommandPage& whole) {
  std::string text = R"zsh(#compdef troupe
# Written by the build from the options of the program.

# Names that are known, or a path.
_troupe_known() {
  _alternative "names:name:($*)" 'files:file:_files'
}
)zsh";
  for_each_page(whole, [&](const CommandPage& page) {
    text += '\n';
    if (!page.commands.empty()) {
      text += function_with_commands(page);
    } else if (page.options.empty() && page.arguments.empty()) {
      text += fmt::format("{}() {{ _default }}\n", function_name(page.name));
    } else {
      text += fmt::format("{}() {{\n  _arguments{}\n}}\n", function_name(page.name), arguments_of(page));
    }
  });
  return text + "\n_troupe \"$@\"\n";
}

}  // namespace troupe::apps
