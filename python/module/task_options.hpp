/// The options of one task, as keywords of a call in Python: priority, name, after, devices.
#pragma once

#include <pybind11/pybind11.h>

#include <array>
#include <string>
#include <string_view>

#include "troupe/handle.hpp"

namespace troupe::python {

inline constexpr std::array<std::string_view, 4> kTaskOptionNames{"priority", "name", "after", "devices"};

[[nodiscard]] bool is_task_option(std::string_view name);
/// Sets the option with this name. Throws `TypeError` or `ValueError` for a value that cannot be used.
void take_task_option(TaskOptions& options, std::string_view name, pybind11::handle value);

}  // namespace troupe::python
