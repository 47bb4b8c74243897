/// Makes command-line options from the table of options (actors/options/option_table.hpp), which has their names,
/// ranges, defaults and texts.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "actors/options/option_table.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace troupe::apps {

/// Adds one option, such as "gpu_memory" as `--gpu-memory`. The option's value in `options` is the default. `options`
/// must outlive the parsing.
CLI::Option* add_runtime_option(CLI::App& command, std::string_view word, RuntimeOptions& options);

/// Adds one option. `assign` gets a new `RuntimeOptions` in which only the given value is set. The help shows no
/// default.
CLI::Option* add_runtime_option(CLI::App& command, std::string_view word,
                                std::function<void(const RuntimeOptions& options)> assign);

/// Add one option of a run in virtual time (`simulation_options`), as the functions above add one of a runtime.
CLI::Option* add_simulation_option(CLI::App& command, std::string_view word, SimulationOptions& options);
CLI::Option* add_simulation_option(CLI::App& command, std::string_view word,
                                   std::function<void(const SimulationOptions& options)> assign);

/// Adds all options of the group that belong on command lines, except those that the command already has.
void add_runtime_options(CLI::App& command, OptionGroup group, RuntimeOptions& options);

/// Checks a value of an option for CLI11. Returns the error message; empty if the value is valid.
[[nodiscard]] std::string check_runtime_option(const RuntimeOption& option, const std::string& text);

}  // namespace troupe::apps
