/// Converts a call in Python to a task.
#include <fmt/format.h>

#include <algorithm>

#include "client/backend.hpp"
#include "python/module/errors.hpp"
#include "python/module/future_object.hpp"
#include "python/module/kernels/c_arrays.hpp"
#include "python/module/kernels/codelet_object.hpp"
#include "python/module/objects.hpp"
#include "python/module/runtime_state.hpp"
#include "python/module/task_cell.hpp"
#include "python/module/task_options.hpp"

namespace troupe::python {

namespace py = pybind11;

namespace {

[[noreturn]] void mismatch(const CodeletObject& codelet, const std::string& what) {
  raise(ErrorCode::signature_mismatch, "codelet '" + codelet.name() + "': " + what);
}

/// One call in Python that is being checked and converted.
struct Call {
  CodeletObject& codelet;
  PyObject* const* arguments;
  std::size_t count;
  RuntimeState* runtime;
  std::vector<Access> accesses = {};
  std::vector<std::shared_ptr<ArrayData>> data = {};
  TaskOptions options = {};
  /// The option `weak`; may be empty.
  py::object weak = {};
  /// The keyword arguments for the kernel.
  py::object keywords = {};
};

bool has_parameter(const PythonSignature& signature, const std::string& name) {
  return std::ranges::any_of(signature.further,
                             [&](const auto& parameter) { return parameter.by_name && parameter.name == name; });
}

[[noreturn]] void refuse_keyword(const CodeletObject& codelet, const std::string& name) {
  std::vector<std::string> names;
  for (const auto& parameter : codelet.signature.further) {
    if (parameter.by_name) names.push_back(parameter.name);
  }
  names.insert(names.end(), kTaskOptionNames.begin(), kTaskOptionNames.end());
  mismatch(codelet,
           "'" + name +
               "' is neither an argument of the kernel nor one of priority, name, after, devices, nested, weak, "
               "deadline, stop" +
               did_you_mean(name, names));
}

/// Divides the keyword arguments: each is a parameter of the kernel, an option of the task, or a further argument of
/// the kernel.
void take_keywords(Call& call, PyObject* keywords) {
  PyObject *key = nullptr, *value = nullptr;
  Py_ssize_t position = 0;
  while (PyDict_Next(keywords, &position, &key, &value) != 0) {
    const std::string name = py::str(py::handle(key));
    const PythonSignature& signature = call.codelet.signature;
    const bool is_parameter = has_parameter(signature, name);
    if (!is_parameter && is_task_option(name)) {
      if (value != Py_None) take_task_option(call.options, call.weak, name, value);
      continue;
    }
    if (std::ranges::find(signature.arrays, name) != signature.arrays.end()) {
      mismatch(call.codelet, "'" + name + "' is one of the kernel's arrays: arrays are passed by position, as in " +
                                 call.codelet.name() + "(" + name + ", ...)");
    }
    if (!is_parameter && !signature.more_by_name) refuse_keyword(call.codelet, name);
    if (!call.keywords) call.keywords = py::dict();
    call.keywords[key] = value;
  }
}

/// Returns the runtime for the call: the runtime of its data, or else the runtime of the calling kernel or of the
/// innermost `with` block.
std::shared_ptr<RuntimeState> runtime_of(const Call& call) {
  if (call.runtime != nullptr) return call.runtime->shared_from_this();
  for (std::size_t i = 0; i < call.count; ++i) {
    if (ArrayData* const data = data_in(call.arguments[i])) return data->runtime();
  }
  if (RuntimeState* const kernels = RuntimeState::in_kernel()) return kernels->shared_from_this();
  if (auto current = current_runtime()) return current;
  raise(ErrorCode::stopped, "codelet '" + call.codelet.name() +
                                "' was called outside of a runtime: call it inside of 'with troupe.Runtime():', or its "
                                "function itself as " +
                                call.codelet.name() + ".function(...)");
}

void take_array(Call& call, RuntimeState& runtime, std::size_t index, AccessMode mode) {
  PyObject* const argument = call.arguments[index];
  const auto refuse = [&](const std::string& why) {
    mismatch(call.codelet, fmt::format("argument {} {}", index, why));
  };
  std::shared_ptr<ArrayData> data;
  if (const auto* const held = shared_data_in(argument)) {
    data = *held;
    if (data->runtime().get() != &runtime) refuse("is data of another runtime");
    if (data->released()) {
      raise(ErrorCode::invalid_handle, fmt::format("codelet '{}': argument {} ({}) was released", call.codelet.name(),
                                                   index, data->description()));
    }
  } else {
    if (PyObject_CheckBuffer(argument) == 0) {
      refuse(fmt::format("is to be an array or data (mode {}), not {}: make a numpy array of it first", to_string(mode),
                         std::string(py::repr(py::type::handle_of(argument)))));
    }
    data = runtime.find_or_add(argument);
  }
  if (writes(mode) && !data->writable()) {
    raise(ErrorCode::invalid_argument, fmt::format("codelet '{}': argument {} ({}) is read-only, and its mode is {}",
                                                   call.codelet.name(), index, data->description(), to_string(mode)));
  }
  if (!data->unchanged()) {
    data->require_unchanged(
        fmt::format("codelet '{}': argument {} ({})", call.codelet.name(), index, data->description()));
  }
  const std::vector<std::uint64_t>& tags = call.codelet.element_tags;
  if (index < tags.size() && tags[index] != 0 && tags[index] != data->form().layout.element_tag) {
    refuse(fmt::format("has dtype {}, which is not what the kernel takes",
                       std::string(py::str(data->array(false).attr("dtype")))));
  }
  if (call.codelet.kind == CodeletObject::Kind::c) check_for_function_of_c(call.codelet, call.data, *data);
  if (call.codelet.kind == CodeletObject::Kind::built_in && data->form().order == ArrayOrder::c) {
    refuse(
        fmt::format("({}) is in C order, in which a tile kernel would see its transpose: make the array with "
                    "order='F', or take numpy.asfortranarray(array)",
                    data->description()));
  }
  call.accesses.emplace_back(data->handle(), mode);
  call.data.push_back(std::move(data));
}

/// Returns true if the argument is a further array of the kernel, and not a value that is passed unchanged.
bool is_data(PyObject* argument) {
  if (data_in(argument) != nullptr || py::isinstance<py::array>(argument)) return true;
  if (PyObject_CheckBuffer(argument) == 0 || PyBytes_Check(argument) != 0) return false;
  // Numbers of numpy also have a buffer, but are not arrays. The static object is never destroyed, because the
  // interpreter may end before static objects are destroyed.
  static const py::handle numpy_number = py::object(py::module_::import("numpy").attr("generic")).release();
  return !py::isinstance(argument, numpy_number);
}

/// Returns the number of arguments that are arrays.
std::size_t arrays_of(const Call& call) {
  const CodeletObject& codelet = call.codelet;
  const std::size_t modes = codelet.modes.size();
  const std::size_t fewest = codelet.repeats ? modes - 1 : modes;
  if (call.count < fewest) {
    mismatch(codelet,
             fmt::format("its kernel takes {}{} array{}, {} argument{} passed", codelet.repeats ? "at least " : "",
                         fewest, fewest == 1 ? "" : "s", call.count, call.count == 1 ? " was" : "s were"));
  }
  if (!codelet.repeats) return modes;
  std::size_t count = fewest;
  while (count < call.count && is_data(call.arguments[count])) ++count;
  return count;
}

/// Throws if the arguments after the arrays do not match the function's parameters.
void check_further(const Call& call, std::size_t arrays) {
  const CodeletObject& codelet = call.codelet;
  const PythonSignature& signature = codelet.signature;
  // The arrays of a codelet that takes any number of arrays are passed in `*rest`.
  std::size_t left = call.count - (codelet.repeats ? codelet.modes.size() - 1 : arrays);
  const std::size_t passed = left;
  std::size_t most = 0;
  for (const PythonSignature::Parameter& parameter : signature.further) {
    const bool given = call.keywords && parameter.by_name && call.keywords.contains(parameter.name.c_str());
    most += parameter.by_position ? 1 : 0;
    if (parameter.by_position && left > 0) {
      --left;
      if (given) mismatch(codelet, "its argument '" + parameter.name + "' was passed by position and by name");
    } else if (!given && parameter.required) {
      mismatch(codelet, fmt::format("its argument '{}' is missing: {} array{} and {} further argument{} were passed",
                                    parameter.name, arrays, arrays == 1 ? "" : "s", passed, passed == 1 ? "" : "s"));
    }
  }
  if (left == 0 || signature.more_by_position) return;
  mismatch(codelet, fmt::format("its kernel takes {} array{} and at most {} further argument{} by position, {} and {} "
                                "were passed",
                                arrays, arrays == 1 ? "" : "s", most, most == 1 ? "" : "s", arrays, passed));
}

/// Stores the kernel's own arguments, which follow the arrays, in the cell.
void take_python_arguments(const Call& call, std::size_t arrays, TaskCell& cell) {
  cell.function = py::object(call.codelet.function).release().ptr();
  cell.parameters.reserve(arrays);
  for (std::size_t i = 0; i < arrays; ++i) cell.parameters.push_back({call.data[i], writes(*call.accesses[i].mode)});
  if (call.count > arrays) {
    cell.further = PyTuple_New(static_cast<Py_ssize_t>(call.count - arrays));
    for (std::size_t i = arrays; i < call.count; ++i) {
      Py_INCREF(call.arguments[i]);
      PyTuple_SET_ITEM(cell.further, static_cast<Py_ssize_t>(i - arrays), call.arguments[i]);
    }
  }
  if (call.keywords) cell.keywords = py::object(call.keywords).release().ptr();
}

Arguments numbers_of(const Call& call, std::size_t arrays) {
  const CodeletObject& codelet = call.codelet;
  Arguments numbers;
  if (call.count - arrays != codelet.scalars.size()) {
    mismatch(codelet, fmt::format("its kernel takes {} array{} and {} number{}, {} and {} were passed", arrays,
                                  arrays == 1 ? "" : "s", codelet.scalars.size(),
                                  codelet.scalars.size() == 1 ? "" : "s", arrays, call.count - arrays));
  }
  for (std::size_t i = 0; i < codelet.scalars.size(); ++i) {
    append_scalar(numbers, codelet.scalars[i], call.arguments[arrays + i], {codelet.name(), arrays + i});
  }
  if (codelet.tells_order) {
    const CArrayOrders orders = orders_of(codelet, call.data);
    numbers.append(orders.transposed);
    numbers.append(orders.ld_across);
  }
  return numbers;
}

/// Returns true if one of the data is the other, or a part of it.
bool share_elements(const ArrayData& one, const ArrayData& other) {
  const auto contains = [](const ArrayData& whole, const ArrayData* part) {
    while (part != nullptr && part != &whole) part = part->whole.get();
    return part != nullptr;
  };
  return contains(one, &other) || contains(other, &one);
}

/// Submits the task of the call. If the runtime refuses two of its arguments, which it calls by the numbers of their
/// handles, the message says which arguments these are.
Future submit_task(RuntimeState& runtime, const Call& call, const graph::TaskSpecification& specification) {
  try {
    return runtime.submit(specification);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::conflicting_access) throw;
    for (std::size_t j = 0; j < call.data.size(); ++j) {
      for (std::size_t i = 0; i < j; ++i) {
        const bool written = writes(*call.accesses[i].mode) || writes(*call.accesses[j].mode);
        if (!written || !share_elements(*call.data[i], *call.data[j])) continue;
        raise(error.code(),
              fmt::format("codelet '{}': arguments {} and {} share elements ({}), and the kernel writes one of them "
                          "(modes {} and {}): pass a copy, or use a kernel that takes them once, in mode rw",
                          call.codelet.name(), i, j, call.data[i]->description(), to_string(*call.accesses[i].mode),
                          to_string(*call.accesses[j].mode)));
      }
    }
    throw;
  }
}

}  // namespace

py::object submit_call(CodeletObject& codelet, PyObject* const* arguments, std::size_t count, PyObject* keywords,
                       RuntimeState* explicit_runtime) {
  Call call{codelet, arguments, count, explicit_runtime};
  if (keywords != nullptr) take_keywords(call, keywords);
  const std::shared_ptr<RuntimeState> runtime = runtime_of(call);
  const auto keep = runtime->runtime();
  if (codelet.kind != CodeletObject::Kind::built_in && !keep->backend().shares_memory()) {
    raise(ErrorCode::no_implementation,
          "codelet '" + codelet.name() +
              "' is a kernel of this program, and a service runs none of those: it has the kernels of troupe.kernels");
  }
  const RuntimeState::AsProgram as_program(*runtime);
  const std::size_t arrays = arrays_of(call);
  call.accesses.reserve(arrays);
  call.data.reserve(arrays);
  for (std::size_t i = 0; i < arrays; ++i) {
    take_array(call, *runtime, i, codelet.modes[std::min(i, codelet.modes.size() - 1)]);
  }
  CellReference task(new TaskCell);
  CellReference mine;
  Arguments numbers;
  if (codelet.kind == CodeletObject::Kind::python) {
    check_further(call, arrays);
    take_python_arguments(call, arrays, *task.get());
    numbers.append(task.get());
  } else {
    numbers = numbers_of(call, arrays);
    // A recording needs the data, to keep them alive and to know which of them are written.
    if (runtime->recording_here()) {
      for (std::size_t i = 0; i < arrays; ++i) {
        task->parameters.push_back({call.data[i], writes(*call.accesses[i].mode)});
      }
    }
  }
  task->runtime = runtime.get();
  take_nesting(*runtime, call.weak, *task.get(), call.options);
  check_limits(*runtime, call.options, codelet.name());
  if (runtime->recording_here()) {
    task->recorded = true;
    const Future future = submit_task(*runtime, call, {codelet.codelet, call.accesses, numbers, call.options});
    runtime->recorded_cells.push_back(std::move(task));
    return make_future(runtime, future, CellReference());
  }
  TaskCell* const cell = task.get();
  cell->add_reference();
  mine = CellReference(cell);
  call.options.callback = [cell](const TaskOutcome& outcome) { cell->end(outcome); };
  graph::TaskSpecification specification{codelet.codelet, call.accesses, numbers, call.options};
  // The program hears of a failure by the future, or at the end.
  specification.callback_tells = false;
  const Future future = submit_task(*runtime, call, specification);
  // From here on, the end of the task drops the task's reference.
  task.leave();
  return make_future(runtime, future, std::move(mine));
}

}  // namespace troupe::python
