/// The options of a runtime, as keyword arguments.
#pragma once

#include <pybind11/pybind11.h>

#include <string>
#include <vector>

#include "python/module/runtime_state.hpp"

namespace troupe::python {

/// Reads the options. Throws `TypeError` for keywords that are not options and for values of a wrong type; throws
/// `ValueError` for values that cannot be used. The message for a wrong keyword suggests a similar option.
[[nodiscard]] RuntimeState::Settings settings_of(const pybind11::kwargs& keywords);
/// Returns the names of the options.
[[nodiscard]] std::vector<std::string> setting_names();
/// Returns a text with a line for each option, for the documentation of the class.
[[nodiscard]] std::string settings_text();

}  // namespace troupe::python
