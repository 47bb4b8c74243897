/// Options that Python programs pass as keyword arguments: options of the table of options, and options that only
/// Python has.
#pragma once

#include <fmt/format.h>
#include <pybind11/pybind11.h>

#include <span>
#include <string>

#include "actors/options/option_table.hpp"
#include "python/module/values.hpp"

namespace troupe::python {

template <class Settings>
struct Option {
  const char* name;
  /// The type and the description, as texts for the user.
  const char* type;
  const char* text;
  /// Sets the option. Throws as the functions of `values.hpp` do.
  void (*set)(Settings& settings, pybind11::handle value);
};

/// Returns a value as text, which the table of options parses. Throws `TypeError` for values of another type.
[[nodiscard]] std::string text_of_value(OptionKind kind, pybind11::handle value);

/// Returns a line for people about an option of the table: its name, type, meaning, values and default.
template <class Options>
[[nodiscard]] std::string line_about(const OptionOf<Options>& option) {
  const std::string usual = option.default_text();
  return fmt::format("{} ({}): {}; {}{}\n", option.word, option.python_type(), option.meaning, option.values(),
                     usual.empty() ? "" : fmt::format("; default: {}", usual));
}
template <class Settings>
[[nodiscard]] std::string line_about(const Option<Settings>& option) {
  return fmt::format("{} ({}): {}\n", option.name, option.type, option.text);
}

/// Sets an option of the table; `None` does not change it. Throws `TypeError` for a value of another type, and `Error`
/// with the table's sentence for a value that cannot be used.
template <class Options>
void set_option(const OptionOf<Options>& option, const std::string& owner, Options& options, pybind11::handle value) {
  if (value.is_none()) return;
  const std::string name = owner + ": " + std::string(option.word);
  const std::string given =
      named(name, option.python_type().data(), value, [&] { return text_of_value(option.kind, value); });
  option.set(options, given, name).value_or_throw();
}

/// Sets an option; `None` does not change it. Throws `TypeError` or `ValueError` with the reason. `owner`, the function
/// or class that has the option, is for the message.
template <class Settings>
void set_option(const Option<Settings>& option, const std::string& owner, Settings& settings, pybind11::handle value) {
  if (value.is_none()) return;
  named(owner + ": " + option.name, option.type, value, [&] { option.set(settings, value); });
}

/// Returns the option of this name; null if there is none.
template <class Settings>
const Option<Settings>* option_named(std::span<const Option<Settings>> options, const std::string& name) {
  for (const Option<Settings>& option : options) {
    if (name == option.name) return &option;
  }
  return nullptr;
}

}  // namespace troupe::python
