#include "python/module/task_options.hpp"

#include <algorithm>
#include <chrono>

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

/// Returns the seconds of a number, or of a `datetime.timedelta`.
double seconds_of(py::handle value) {
  if (is_boolean(value)) wrong_type();
  if (PyFloat_Check(value.ptr()) != 0 || PyLong_Check(value.ptr()) != 0) return number(value);
  if (py::isinstance(value, py::module_::import("datetime").attr("timedelta"))) {
    return number(value.attr("total_seconds")());
  }
  return number(value);
}

/// Returns the time that is this far from now; the end of time for times that the clock cannot tell.
std::chrono::steady_clock::time_point deadline_of(py::handle value) {
  using Clock = std::chrono::steady_clock;
  const double seconds = named("deadline", "seconds from now (float) or a datetime.timedelta", value, [&] {
    const double given = seconds_of(value);
    if (!(given >= 0)) wrong_value("give the seconds from now, 0 or more");
    return given;
  });
  const Clock::time_point now = Clock::now();
  const std::chrono::duration<double> ahead(seconds);
  if (ahead >= Clock::time_point::max() - now) return Clock::time_point::max();
  return now + std::chrono::duration_cast<Clock::duration>(ahead);
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
  } else if (name == "deadline") {
    options.deadline = deadline_of(value);
  } else if (name == "stop") {
    options.stop = stop_token_of(value);
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
  if (!options.nested && py::len(weak) > 0) {
    raise(ErrorCode::invalid_argument,
          "weak names data for the tasks inside of a nested task: say nested=True, too, or pass them as arguments");
  }
  for (const py::handle pair : weak) take_weak(runtime, pair, cell, options);
}

StopToken stop_token_of(py::handle value) {
  const StopObject* const stop = stop_in(value);
  if (stop == nullptr) {
    throw py::type_error("stop is a troupe.StopToken, not " + std::string(py::repr(value)));
  }
  return {stop->source.get_token()};
}

void check_limits(const RuntimeState& runtime, const TaskOptions& options, std::string_view name) {
  if (!options.deadline && !options.stop.stop_possible()) return;
  const auto refuse = [&](const char* why) {
    raise(ErrorCode::invalid_argument, "'" + std::string(name) + "' " + why);
  };
  if (runtime.recording_here()) {
    refuse(
        "has deadline= or stop=, which a recorded task cannot have, as it runs many times: cancel the future that "
        "run() returns");
  }
  if (!runtime.nests()) {
    refuse("has deadline= or stop=, which are not carried to a service: submit it without, and cancel its future");
  }
  if (options.deadline && runtime.runs_in_waiting_thread()) {
    refuse("has a deadline, and the tasks of this runtime do not run by the clock (deterministic=True): use stop=");
  }
}

}  // namespace troupe::python
