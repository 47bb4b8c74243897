/// What the values of options may be, and what is said of those that are not: for CLI11's checks.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace troupe::apps {

/// A whole number within bounds, written with digits or as 1e4 or 1.5e3 are. The option gets its digits.
[[nodiscard]] CLI::Validator whole_number(std::uint64_t least, std::uint64_t most);
/// A number within bounds.
[[nodiscard]] CLI::Validator real_number(double least, double most);
/// One of the names; a misspelt one is told which was probably meant.
[[nodiscard]] CLI::Validator one_of(std::vector<std::string> names);
/// "float" or "double", to be set with `transform`: "single", as descriptions of machines say, is "float", too.
[[nodiscard]] CLI::Validator precision_name();

/// The one of these that fits numbers of type `T`.
template <class T>
CLI::Validator number_within(T least, T most) {
  if constexpr (std::is_floating_point_v<T>) {
    return real_number(least, most);
  } else {
    return whole_number(static_cast<std::uint64_t>(least), static_cast<std::uint64_t>(most));
  }
}

/// Adds an option that takes several values: with commas, `--n 1,2`, or given several times. `values` outlives the
/// parsing.
template <class T>
CLI::Option* add_list(CLI::App& command, const std::string& name, std::vector<T>& values, const std::string& help) {
  return command.add_option(name, values, help)->delimiter(',')->allow_extra_args(false);
}

/// Adds a list that something else reads: `text` gets the values with `separator` between them.
CLI::Option* add_text_list(CLI::App& command, const std::string& name, std::string& text, char separator,
                           const std::string& help);

}  // namespace troupe::apps
