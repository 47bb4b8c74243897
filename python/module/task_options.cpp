#include "python/module/task_options.hpp"

#include <algorithm>

#include "graph/codelets/restrictions.hpp"
#include "python/module/errors.hpp"
#include "python/module/future_object.hpp"
#include "python/module/kernels/codelet_object.hpp"
#include "python/module/objects.hpp"
#include "python/module/runtime_state.hpp"
#include "python/module/task_cell.hpp"
#include "python/module/values.hpp"

namespace troupe::python {

namespace py = pybind11;

namespace {

DeviceSet devices_of(py::handle value) {
  if (py::isinstance<py::str>(value)) {
    const auto text = value.cast<std::string>();
    // The text has the same form as in `PlacementOptions::restrict`.
    auto parsed = parse_restrictions("codelet:" + text);
    if (!parsed) throw py::value_error("devices='" + text + "': " + parsed.failure().message);
    return parsed.value().begin()->second;
  }
  return named("devices", "'cores', 'gpus', a device's name, or the number of a worker", value,
               [&] { return DeviceSet::worker(WorkerId(integer<WorkerId::value_type>(value))); });
}

void take_after(TaskOptions& options, py::handle value) {
  const auto add = [&](py::handle one) {
    const Future* const future = future_in(one);
    if (future == nullptr) throw py::type_error("after is a future of this runtime, or several of them");
    if (future->valid()) options.after.push_back(*future);
  };
  if (future_in(value) != nullptr) return add(value);
  for (const py::handle one : value) add(one);
}

bool flag(std::string_view name, py::handle value) {
  if (PyBool_Check(value.ptr()) != 0) return value.ptr() == Py_True;
  throw py::type_error(std::string(name) + " is True or False, not " + std::string(py::repr(value)));
}

std::shared_ptr<ArrayData> weak_data(RuntimeState& runtime, py::handle object) {
  const auto* const held = shared_data_in(object);
  if (held == nullptr) {
    if (PyObject_CheckBuffer(object.ptr()) != 0) return runtime.find_or_add(object);
    throw py::type_error("weak names arrays or data, not " + std::string(py::repr(py::type::handle_of(object))));
  }
  if ((*held)->runtime().get() != &runtime) {
    raise(ErrorCode::invalid_argument, "weak names data of another runtime: " + (*held)->description());
  }
  if ((*held)->released()) {
    raise(ErrorCode::invalid_handle, "weak names data that were released: " + (*held)->description());
  }
  return *held;
}

/// Adds one pair of a mode and an array or data to the weak data.
void take_weak(RuntimeState& runtime, py::handle pair, TaskCell& cell, TaskOptions& options) {
  constexpr const char* kForm = "weak is a list of pairs of a mode and an array or data: weak=[('rw', a), ('read', b)]";
  if (!py::isinstance<py::tuple>(pair) || py::len(pair) != 2) throw py::type_error(kForm);
  const auto both = py::reinterpret_borrow<py::tuple>(pair);
  if (!py::isinstance<py::str>(both[0])) throw py::type_error(kForm);
  const AccessMode mode = mode_of(py::object(both[0]).cast<std::string>());
  std::shared_ptr<ArrayData> data = weak_data(runtime, both[1]);
  if (writes(mode) && !data->writable()) {
    raise(ErrorCode::invalid_argument,
          data->description() + " is read-only, and weak names it in mode " + to_string(mode));
  }
  options.weak.emplace_back(data->handle(), mode);
  cell.weak.push_back(std::move(data));
}

}  // namespace

bool is_task_option(std::string_view name) {
  return std::ranges::find(kTaskOptionNames, name) != kTaskOptionNames.end();
}

void take_task_option(TaskOptions& options, py::object& weak, std::string_view name, py::handle value) {
  if (name == "priority") {
    options.priority = named("priority", "int", value, [&] { return integer<int>(value); });
  } else if (name == "name") {
    options.name = py::str(value);
  } else if (name == "after") {
    take_after(options, value);
  } else if (name == "nested") {
    options.nested = flag(name, value);
  } else if (name == "weak") {
    weak = py::reinterpret_borrow<py::object>(value);
  } else {
    options.devices = devices_of(value);
  }
}

void take_nesting(RuntimeState& runtime, py::handle weak, TaskCell& cell, TaskOptions& options) {
  TaskCell* const here = runtime.nests() && !runtime.recording_here() ? runtime.task_here() : nullptr;
  if (here != nullptr && (here->nested || (here->plain && cell.plain))) {
    cell.parent = here;
    cell.nested = here->nested;
  }
  cell.nested = cell.nested || options.nested;
  if (!weak || weak.is_none()) return;
  if (!py::isinstance<py::list>(weak) && !py::isinstance<py::tuple>(weak)) {
    throw py::type_error("weak is a list of pairs of a mode and an array or data, not " +
                         std::string(py::repr(py::type::handle_of(weak))));
  }
  for (const py::handle pair : weak) take_weak(runtime, pair, cell, options);
}

}  // namespace troupe::python
