/// The options of one task, as keywords of a call in Python: those of `kTaskOptionNames`.
#pragma once

#include <pybind11/pybind11.h>

#include <array>
#include <stop_token>
#include <string>
#include <string_view>

#include "troupe/handle.hpp"

namespace troupe::python {

inline constexpr std::array<std::string_view, 8> kTaskOptionNames{"priority", "name", "after",    "devices",
                                                                  "nested",   "weak", "deadline", "stop"};

/// The object behind a `troupe.StopToken`: in Python, the source and its token are one object.
struct StopObject {
  std::stop_source source;
};
/// Returns the object behind a `troupe.StopToken`; null if the object is of another type.
[[nodiscard]] const StopObject* stop_in(pybind11::handle object);

class RuntimeState;
struct TaskCell;

[[nodiscard]] bool is_task_option(std::string_view name);
/// Sets the option with this name; keeps `weak` as it was given, for `take_nesting`, which knows the runtime. Throws
/// `TypeError` or `ValueError` for a value that cannot be used.
void take_task_option(TaskOptions& options, pybind11::object& weak, std::string_view name, pybind11::handle value);
/// Sets `TaskOptions::weak` from the option `weak`, which may be empty: pairs of a mode and an array or data. Notes in
/// the cell whether the task is nested, and the task whose child it is. `cell.plain` must be set before the call.
void take_nesting(RuntimeState& runtime, pybind11::handle weak, TaskCell& cell, TaskOptions& options);
/// Throws `InvalidArgument` if the options have a deadline or a stop token that cannot have an effect in this runtime,
/// or because the calling thread records. `name` is the name of the task's kernel or function.
void check_limits(const RuntimeState& runtime, const TaskOptions& options, std::string_view name);
/// Returns the stop token of a `troupe.StopToken`. Throws `TypeError` for any other object.
[[nodiscard]] StopToken stop_token_of(pybind11::handle value);

}  // namespace troupe::python
