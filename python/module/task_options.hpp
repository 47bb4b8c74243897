/// The options of one task, as keywords of a call in Python: priority, name, after, devices, nested, weak.
#pragma once

#include <pybind11/pybind11.h>

#include <array>
#include <string>
#include <string_view>

#include "troupe/handle.hpp"

namespace troupe::python {

inline constexpr std::array<std::string_view, 6> kTaskOptionNames{"priority", "name",   "after",
                                                                  "devices",  "nested", "weak"};

class RuntimeState;
struct TaskCell;

[[nodiscard]] bool is_task_option(std::string_view name);
/// Sets the option with this name; keeps `weak` as it was given, for `take_nesting`, which knows the runtime. Throws
/// `TypeError` or `ValueError` for a value that cannot be used.
void take_task_option(TaskOptions& options, pybind11::object& weak, std::string_view name, pybind11::handle value);
/// Sets `TaskOptions::weak` from the option `weak`, which may be empty: pairs of a mode and an array or data. Notes in
/// the cell whether the task is nested, and the task whose child it is. `cell.plain` must be set before the call.
void take_nesting(RuntimeState& runtime, pybind11::handle weak, TaskCell& cell, TaskOptions& options);

}  // namespace troupe::python
