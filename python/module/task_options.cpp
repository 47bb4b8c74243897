#include "python/module/task_options.hpp"

#include <algorithm>

#include "graph/codelets/restrictions.hpp"
#include "python/module/future_object.hpp"
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

}  // namespace

bool is_task_option(std::string_view name) {
  return std::ranges::find(kTaskOptionNames, name) != kTaskOptionNames.end();
}

void take_task_option(TaskOptions& options, std::string_view name, py::handle value) {
  if (name == "priority") {
    options.priority = named("priority", "int", value, [&] { return integer<int>(value); });
  } else if (name == "name") {
    options.name = py::str(value);
  } else if (name == "after") {
    take_after(options, value);
  } else {
    options.devices = devices_of(value);
  }
}

}  // namespace troupe::python
