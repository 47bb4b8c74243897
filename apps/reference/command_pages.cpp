#include "apps/reference/command_pages.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <utility>

#include "actors/scheduler/policy.hpp"
#include "apps/command_line.hpp"
#include "apps/command_tree.hpp"
#ifdef TROUPE_HAS_EXPERIMENTS
#include "lab/experiments/experiment_commands.hpp"
#endif
#ifdef TROUPE_HAS_SERVICE
#include "apps/serving/serve_command.hpp"
#endif
#include "troupe/machine.hpp"

namespace troupe::apps {

namespace {

/// A placeholder for the user's home folder while the options are made.
constexpr const char* kHome = "/the-home-of-any-user";

std::string for_anybody(std::string text) {
  for (std::size_t at = text.find(kHome); at != std::string::npos; at = text.find(kHome, at)) {
    text.replace(at, std::string_view(kHome).size(), "~");
  }
  return text;
}

/// Sets environment variables to the placeholder while the object lives, so that texts about folders of the user are
/// the same on every machine.
class AnyHome {
 public:
  AnyHome() {
    for (const char* name : {"HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR"}) {
      const char* const value = std::getenv(name);
      before_.emplace_back(name, value == nullptr ? std::nullopt : std::optional<std::string>(value));
      ::unsetenv(name);
    }
    ::setenv("HOME", kHome, 1);
  }
  AnyHome(const AnyHome&) = delete;
  AnyHome& operator=(const AnyHome&) = delete;
  ~AnyHome() {
    for (const auto& [name, value] : before_) value ? ::setenv(name, value->c_str(), 1) : ::unsetenv(name);
  }

 private:
  std::vector<std::pair<const char*, std::optional<std::string>>> before_;
};

/// Returns the choices between the braces of "TEXT:{cholesky,lu}".
std::vector<std::string> choices_in(std::string_view type) {
  const std::size_t begin = type.find('{');
  const std::size_t end = type.rfind('}');
  if (begin == std::string_view::npos || end == std::string_view::npos) return {};
  std::vector<std::string> choices;
  for (std::string_view rest = type.substr(begin + 1, end - begin - 1); !rest.empty();) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    choices.emplace_back(rest.substr(0, comma));
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return choices;
}

/// Returns the range in words, such as "1 to 1024" for "INT:INT in [1 - 1024]" and for "INT:[1 - 1024]".
std::string range_in(std::string_view type) {
  constexpr std::string_view kBetween = " - ";
  const std::size_t middle = type.find(kBetween);
  if (middle == std::string_view::npos) return {};
  const std::size_t begin = type.rfind('[', middle);
  const std::size_t end = type.find(']', middle);
  if (begin == std::string_view::npos || end == std::string_view::npos) return {};
  const std::size_t behind = middle + kBetween.size();
  return fmt::format("{} to {}", type.substr(begin + 1, middle - begin - 1), type.substr(behind, end - behind));
}

/// Returns a placeholder for the value of an option, because CLI11's names of number types are not meant for people.
std::string value_name(std::string_view type) {
  const std::string_view name = type.substr(0, type.find(':'));
  if (name == "INT" || name == "UINT") return "N";
  if (name == "FLOAT") return "NUMBER";
  // A placeholder that this program defines itself may contain a colon: "K[:OPTIONS]".
  const bool ours = type.find('{') == std::string_view::npos && range_in(type).empty();
  return std::string(ours && name != "TEXT" ? type : name);
}

/// Returns values that completion offers, although other values are also possible.
std::vector<std::string> usual_values(const std::string& name) {
  std::vector<std::string> values;
  if (name == "--policy") {
    for (const scheduler::PolicyDescription& policy : scheduler::known_policies()) values.emplace_back(policy.name);
  } else if (name == "--platform") {
    for (const auto& machine : platform::known_machines()) values.emplace_back(machine);
  }
  return values;
}

bool is_path(const OptionEntry& entry) {
  if (entry.value.empty() || entry.value == "N" || entry.value == "NUMBER") return false;
  const auto says = [&](std::string_view word) {
    return entry.value.find(word) != std::string::npos || entry.description.find(word) != std::string::npos;
  };
  return says("FILE") || says("FOLDER") || says("PATH") || says(" file") || says("folder");
}

OptionEntry entry_of(const CLI::Option& option) {
  OptionEntry entry;
  if (option.nonpositional()) {
    for (const std::string& name : option.get_snames()) entry.names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) entry.names.push_back("--" + name);
  } else {
    entry.names.push_back(option.get_name(true));
  }
  entry.description = for_anybody(option.get_description());
  entry.group = option.get_group();
  entry.required = option.get_required();
  entry.repeated = option.get_items_expected_max() > 1;
  if (option.get_type_size() == 0 || option.get_items_expected_max() == 0) return entry;  // The option is a flag.
  const std::string type = option.get_type_name();
  entry.choices = choices_in(type);
  entry.range = range_in(type);
  entry.value = entry.choices.empty() ? value_name(type) : fmt::format("{}", fmt::join(entry.choices, "|"));
  entry.default_value = for_anybody(option.get_default_str());
  if (entry.choices.empty()) entry.choices = usual_values(entry.names.back());
  entry.path = is_path(entry);
  return entry;
}

CommandPage page_under(const CLI::App& application, const std::string& name) {
  CommandPage page{name, for_anybody(application.get_description()), {}, {}, {}};
  for (const CLI::Option* option : options_of(application)) {
    if (option->nonpositional() && option->get_group().empty()) continue;  // The option is hidden.
    (option->nonpositional() ? page.options : page.arguments).push_back(entry_of(*option));
  }
  for (const CLI::App* command : commands_of(application)) {
    if (command->get_group().empty()) continue;  // The command is hidden.
    page.commands.push_back(page_under(*command, name + ' ' + command->get_name()));
  }
  return page;
}

/// Adds the names of all commands to the choices of `help`, whose argument may be any command.
void name_commands(CommandPage& whole) {
  const auto help = std::ranges::find(whole.commands, whole.name + " help", &CommandPage::name);
  if (help == whole.commands.end()) return;
  OptionEntry& name = help->arguments.front();
  for (const CommandPage& command : whole.commands) name.choices.push_back(command.last_name());
  // The placeholder is empty, because the description already explains the argument.
  name.value.clear();
}

}  // namespace

std::string CommandPage::last_name() const { return name.substr(name.rfind(' ') + 1); }

CommandPage page_of(const CLI::App& application) { return page_under(application, application.get_name()); }

CommandPage whole_command_line(const std::vector<CommandPage>& programs) {
  const AnyHome home;
  Command unused;
  CommandPage page = page_of(*make_application(unused));
  std::vector<CommandPage> others = programs;
  others.push_back(page_of(*make_experiments(unused)));
#ifdef TROUPE_HAS_SERVICE
  others.push_back(page_of(*make_serve(unused)));
#endif
  for (CommandPage& other : others) {
    const auto command = std::ranges::find(page.commands, other.name, &CommandPage::name);
    if (command != page.commands.end()) *command = std::move(other);
  }
  name_commands(page);
  return page;
}

}  // namespace troupe::apps
