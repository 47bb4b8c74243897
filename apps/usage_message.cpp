#include "apps/usage_message.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "apps/command_tree.hpp"
#include "proto/edit_distance.hpp"
#include "proto/tokens.hpp"

namespace troupe::apps {

namespace {

/// Returns the command's path as the user wrote it, such as "troupe run".
std::string path_of(const CLI::App& command) {
  const CLI::App* const above = command.get_parent();
  if (above == nullptr) return command.get_name();
  const std::string path = path_of(*above);
  return command.get_name().empty() ? path : path + ' ' + command.get_name();
}

/// Returns the command that the user chose, as far as the parser understood the words.
const CLI::App& chosen_command(const CLI::App& application) {
  const CLI::App* chosen = &application;
  while (!chosen->get_subcommands().empty()) chosen = chosen->get_subcommands().front();
  return *chosen;
}

std::vector<std::string> names_of(const std::vector<const CLI::App*>& commands) {
  std::vector<std::string> names;
  for (const CLI::App* command : commands) names.push_back(command->get_name());
  return names;
}

/// Returns the names of the command's options, such as "--n" and "--tile".
std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : options_of(command)) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_fnames()) names.push_back(name.substr(0, name.find('{')));
  }
  return names;
}

/// Returns the paths of the commands that have the option, such as "troupe run".
std::vector<std::string> who_has(const CLI::App& application, const std::string& option) {
  std::vector<std::string> paths;
  for (const CLI::App* command : commands_of(application)) {
    if (std::ranges::count(option_names(*command), option) > 0) paths.push_back('`' + path_of(*command) + '`');
    for (std::string& path : who_has(*command, option)) paths.push_back(std::move(path));
  }
  return paths;
}

std::string unknown_option(const CLI::App& application, const CLI::App& command, const std::string& word) {
  const std::string given = word.substr(0, word.find('='));
  const std::string name = "--" + given.substr(std::min(given.find_first_not_of('-'), given.size()));
  const std::vector<std::string> options = option_names(command);
  std::string text = fmt::format("{}: `{}` has no such option", given, path_of(command));
  if (std::ranges::count(options, name) > 0) return text + "; did you mean " + name + "?";
  if (const auto others = who_has(application, name); !others.empty())
    return fmt::format("{}; it is one of {}", text, fmt::join(others, ", "));
  return text + did_you_mean(name, options);
}

/// Returns the message about a number or name that follows an option's value without belonging to it, or about too many
/// arguments.
std::string unexpected_word(const CLI::App& command, const std::string& word) {
  const auto lists = command.get_options([](const CLI::Option* one) { return one->get_items_expected_max() > 1; });
  if (lists.empty()) return fmt::format("{} is not expected by `{}`", troupe::quoted(word), path_of(command));
  return fmt::format("{} is not expected by `{}`: if it is one more value of an option, put commas between the values",
                     troupe::quoted(word), path_of(command));
}

/// Returns a message about words that no command or option accepted.
std::string about_extras(const CLI::App& application, const std::vector<std::string>& extras) {
  const CLI::App& command = chosen_command(application);
  const auto option = std::ranges::find_if(extras, [](const std::string& word) {
    return word.starts_with('-') && word.find_first_not_of('-') != word.npos;
  });
  if (commands_of(command).empty() ||
      !command.get_options([](const CLI::Option* one) { return one->get_positional(); }).empty()) {
    return option != extras.end() ? unknown_option(application, command, *option)
                                  : unexpected_word(command, extras.front());
  }
  return extras.front().starts_with('-') ? unknown_option(application, command, extras.front())
                                         : unknown_command(command, extras.front());
}

/// Turns "application is required" and similar messages into messages that list the possible values.
std::string about_missing(const CLI::App& command, const std::string& what) {
  if (what == CLI::RequiredError("A subcommand").what() || what.starts_with("Requires at least")) {
    return fmt::format("`{}` needs a command: {}", path_of(command), command_names(command));
  }
  constexpr std::string_view kOneOf = "Exactly 1 option from [";
  if (what.starts_with(kOneOf)) {
    const auto options = CLI::detail::split(what.substr(kOneOf.size(), what.find(']') - kOneOf.size()), ',');
    return fmt::format(
        "{}: {}", fmt::join(options, ", "),
        what.ends_with(" given") ? "they exclude one another: give one of them" : "one of them is needed");
  }
  const std::string name = what.substr(0, what.find(' '));
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_name() != name) continue;
    return fmt::format("{} is missing: {}", name, option->get_description());
  }
  return what;
}

/// Returns the option's name, which is at the beginning of CLI11's message.
std::string option_in(const std::string& text) { return text.substr(0, text.find(':')); }

std::string text_of(const CLI::App& command, const CLI::Error& error) {
  const std::string text = error.what();
  if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) return about_missing(command, text);
  // CLI11's text is "--n: 1 required INT:INT in [1 - 2147483647] missing", or "--n: At Most 1 required but received 2".
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    const bool too_many = text.find(": At Most ") != std::string::npos;
    return option_in(text) + (too_many ? ": given more than once, but it takes one value" : ": a value is missing");
  }
  // CLI11's text is "Could not convert: --check = maybe". Only flags get this error, because options have checks of
  // their own.
  constexpr std::string_view kFlag = "Could not convert: ";
  if (const std::size_t equals = text.find(" = "); text.starts_with(kFlag) && equals != std::string::npos) {
    return fmt::format("{}: it takes no value, so leave away {}", text.substr(kFlag.size(), equals - kFlag.size()),
                       troupe::quoted('=' + text.substr(equals + 3)));
  }
  if (const std::size_t at = text.find(" requires ");
      dynamic_cast<const CLI::RequiresError*>(&error) != nullptr && at != std::string::npos) {
    return fmt::format("{}: it has no effect without {}: give that as well", text.substr(0, at), text.substr(at + 10));
  }
  if (const std::size_t at = text.find(" excludes ");
      dynamic_cast<const CLI::ExcludesError*>(&error) != nullptr && at != std::string::npos) {
    return fmt::format("{} and {} exclude one another: leave one of them away", text.substr(0, at),
                       text.substr(at + 10));
  }
  return text;
}

/// Returns the command that usually has this word as its argument, such as "run cholesky"; empty if there is none.
std::string usual_command(const std::string& word) {
  constexpr std::array<std::string_view, 4> kFactorizations{"cholesky", "lu", "qr", "sparse-lu"};
  constexpr std::array<std::string_view, 7> kExperiments{"dada",       "policies", "eviction", "clusters",
                                                         "multigrain", "opencl",   "scaling"};
  constexpr std::array<std::string_view, 3> kModel{"calibrate", "show", "plot"};
  if (std::ranges::count(kFactorizations, word) > 0) return "run " + word;
  if (std::ranges::count(kExperiments, word) > 0) return "experiment " + word;
  if (std::ranges::count(kModel, word) > 0) return "model " + word;
  if (word.ends_with(".mtx")) return "solve " + word;
  return {};
}

}  // namespace

std::string command_names(const CLI::App& application) {
  return fmt::format("{}", fmt::join(names_of(commands_of(application)), ", "));
}

std::string unknown_command(const CLI::App& application, const std::string& word) {
  std::string hint = did_you_mean(word, names_of(commands_of(application)));
  if (application.get_parent() == nullptr && hint.empty()) {
    const std::string usual = usual_command(word);
    if (!usual.empty() && application.get_name() == "troupe") hint = fmt::format("; did you mean `troupe {}`?", usual);
  }
  if (hint.empty()) hint = ": there are " + command_names(application);
  return fmt::format("{} is no command of `{}`{}", troupe::quoted(word), path_of(application), hint);
}

std::string usage_message(const CLI::App* application, const CLI::Error& error) {
  const CLI::App& command = chosen_command(*application);
  const std::vector<std::string> extras = application->remaining(true);
  const std::string text = extras.empty() ? text_of(command, error) : about_extras(*application, extras);
  return fmt::format("troupe: {} (`{} --help` lists what is possible)\n", text, path_of(command));
}

}  // namespace troupe::apps
