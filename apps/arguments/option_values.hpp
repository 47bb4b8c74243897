/// Checks of options' values for CLI11, with messages for values that are not allowed.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace troupe::apps {

/// Checks for a whole number within bounds, written with digits or like 1e4 or 1.5e3. The text is replaced by the
/// number in digits.
[[nodiscard]] CLI::Validator whole_number(std::uint64_t least, std::uint64_t most);
/// Checks for a number within bounds.
[[nodiscard]] CLI::Validator real_number(double least, double most);
/// Checks for one of the names. The message for a misspelt name suggests the name that was probably meant.
[[nodiscard]] CLI::Validator one_of(std::vector<std::string> names);
/// Checks for "float" or "double"; use it with `transform`. "single", the word in descriptions of machines, becomes
/// "float".
[[nodiscard]] CLI::Validator precision_name();

/// Returns `whole_number` or `real_number`, whichever fits the type `T`.
template <class T>
CLI::Validator number_within(T least, T most) {
  if constexpr (std::is_floating_point_v<T>) {
    return real_number(least, most);
  } else {
    return whole_number(static_cast<std::uint64_t>(least), static_cast<std::uint64_t>(most));
  }
}

/// Adds an option that takes several values: separated by commas (`--n 1,2`), or given several times. `values` must
/// outlive the parsing.
template <class T>
CLI::Option* add_list(CLI::App& command, const std::string& name, std::vector<T>& values, const std::string& help) {
  return command.add_option(name, values, help)->delimiter(',')->allow_extra_args(false);
}

/// Adds an option with several values: `text` gets the values with `separator` between them, and other code parses
/// `text`.
CLI::Option* add_text_list(CLI::App& command, const std::string& name, std::string& text, char separator,
                           const std::string& help);

}  // namespace troupe::apps
