#include "apps/arguments/runtime_arguments.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <utility>

namespace troupe::apps {

namespace {

std::string value_name(OptionKind kind) {
  switch (kind) {
    case OptionKind::whole: return "UINT";
    case OptionKind::number: return "FLOAT";
    case OptionKind::bytes: return "SIZE";
    case OptionKind::time: return "TIME";
    case OptionKind::path: return "PATH";
    case OptionKind::devices: return "K[:OPTIONS]";
    case OptionKind::flag:
    case OptionKind::text:
    case OptionKind::word: break;
  }
  return "TEXT";
}

/// Returns the possible values in the format of CLI11's own checks, for the help text.
std::string described_values(const OptionRow& option) {
  if (option.kind == OptionKind::whole) return fmt::format("[{} - {}]", option.least, option.most);
  if (option.kind == OptionKind::number) return fmt::format("[{} - {}]", option.least_number, option.most_number);
  const bool few = option.kind == OptionKind::word || option.kind == OptionKind::flag;
  return few ? fmt::format("{{{}}}", fmt::join(option.example_list(), ",")) : std::string();
}

template <class Options>
std::string check_text(const OptionOf<Options>& option, const std::string& text) {
  // For programs, an empty text means the default. On the command line it is probably an empty shell variable.
  if (text.empty()) return "the value is empty: give a value such as " + option.values();
  Options unused;
  const Result<void> read = option.read(option, unused, text);
  return read ? std::string() : read.failure().message;
}

template <class Options>
CLI::Option* add(CLI::App& command, const OptionOf<Options>& option,
                 std::function<void(const Options& options)> assign) {
  const auto read = [&option, assign = std::move(assign)](const std::string& text) {
    Options given;
    // The read cannot fail, because the check below has refused texts that cannot be read.
    if (option.read(option, given, text)) assign(given);
  };
  return command.add_option_function<std::string>(option.flag(), read, option.help())
      ->type_name(value_name(option.kind))
      ->check(
          CLI::Validator([&option](std::string& text) { return check_text(option, text); }, described_values(option)));
}

template <class Options>
CLI::Option* add(CLI::App& command, const OptionOf<Options>& option, Options& options) {
  const std::function<void(const Options&)> assign = [&option, &options](const Options& given) {
    (void)option.read(option, options, option.text(given));
  };
  return add(command, option, assign)->default_str(option.text(options));
}

}  // namespace

std::string check_runtime_option(const RuntimeOption& option, const std::string& text) {
  return check_text(option, text);
}

CLI::Option* add_runtime_option(CLI::App& command, std::string_view word,
                                std::function<void(const RuntimeOptions& options)> assign) {
  return add(command, *option_of(word), std::move(assign));
}

CLI::Option* add_runtime_option(CLI::App& command, std::string_view word, RuntimeOptions& options) {
  return add(command, *option_of(word), options);
}

CLI::Option* add_simulation_option(CLI::App& command, std::string_view word,
                                   std::function<void(const SimulationOptions& options)> assign) {
  return add(command, *simulation_option_of(word), std::move(assign));
}

CLI::Option* add_simulation_option(CLI::App& command, std::string_view word, SimulationOptions& options) {
  return add(command, *simulation_option_of(word), options);
}

void add_runtime_options(CLI::App& command, OptionGroup group, RuntimeOptions& options) {
  for (const RuntimeOption& option : runtime_options()) {
    if (option.group != group || !option.has(OptionDoor::command)) continue;
    if (command.get_option_no_throw(option.flag()) == nullptr) add_runtime_option(command, option.word, options);
  }
}

}  // namespace troupe::apps
