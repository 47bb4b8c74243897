/// Options that Python programs pass as keyword arguments.
#pragma once

#include <pybind11/pybind11.h>

#include <span>
#include <string>
#include <vector>

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

template <class Settings>
std::vector<std::string> names_of(std::span<const Option<Settings>> options) {
  std::vector<std::string> names;
  for (const Option<Settings>& option : options) names.emplace_back(option.name);
  return names;
}

}  // namespace troupe::python
