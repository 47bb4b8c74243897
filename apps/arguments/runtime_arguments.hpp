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

/// Adds one option, such as "gpu_memory" as `--gpu-memory`. `options` outlives the parsing; its value is the default.
CLI::Option* add_runtime_option(CLI::App& command, std::string_view word, RuntimeOptions& options);

/// Adds one option. `assign` gets a new `RuntimeOptions` in which only the given value is set. The help shows no
/// default.
CLI::Option* add_runtime_option(CLI::App& command, std::string_view word,
                                std::function<void(const RuntimeOptions& options)> assign);

/// Adds those of the group's options that command lines have and that the command does not have yet.
void add_runtime_options(CLI::App& command, OptionGroup group, RuntimeOptions& options);

/// Checks a value of an option for CLI11: returns what is wrong, or an empty text.
[[nodiscard]] std::string check_runtime_option(const RuntimeOption& option, const std::string& text);

}  // namespace troupe::apps
