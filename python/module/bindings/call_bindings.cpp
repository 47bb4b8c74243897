/// `Runtime.call`, and the functions that troupe/executor.py uses.
#include <pybind11/pybind11.h>

#include <cstdint>
#include <string>

#include "python/module/bindings/bindings.hpp"
#include "python/module/errors.hpp"
#include "python/module/kernels/plain_call.hpp"
#include "python/module/objects.hpp"
#include "python/module/runtime_state.hpp"
#include "python/module/task_options.hpp"

namespace troupe::python {

namespace py = pybind11;

namespace {

void require_function(py::handle function) {
  if (const CodeletObject* const codelet = codelet_in(function)) {
    throw py::type_error("call takes a plain function, and '" + codelet->name() +
                         "' is a codelet: use submit(kernel, ...), or call kernel.function");
  }
  if (PyCallable_Check(function.ptr()) == 0) {
    throw py::type_error("call takes a function first, then its arguments: " + std::string(py::repr(function)) +
                         " cannot be called");
  }
}

/// Returns true if the function has a parameter with this name. Then a keyword with the name of an option of tasks is
/// an argument of the function.
bool function_has_parameter(py::handle function, py::handle name) {
  return py::module_::import("troupe.codelets").attr("_has_parameter")(function, name).cast<bool>();
}

/// Implements `rt.call(function, 1, 2, key=3, priority=1)`.
PyObject* call_in_runtime(PyObject* self, PyObject* const* arguments, Py_ssize_t count, PyObject* names) {
  return guarded([&] {
    if (count == 0) throw py::type_error("call takes a function first, then its arguments: rt.call(function, 1, 2)");
    require_function(arguments[0]);
    TaskOptions options;
    py::object weak;
    py::object keywords;
    const Py_ssize_t named = names == nullptr ? 0 : PyTuple_GET_SIZE(names);
    for (Py_ssize_t i = 0; i < named; ++i) {
      const py::handle name = PyTuple_GET_ITEM(names, i);
      const py::handle value = arguments[count + i];
      const auto text = name.cast<std::string>();
      if (is_task_option(text) && !function_has_parameter(arguments[0], name)) {
        if (!value.is_none()) take_task_option(options, weak, text, value);
        continue;
      }
      if (!keywords) keywords = py::dict();
      keywords[name] = value;
    }
    const PlainCall call{arguments[0], arguments + 1, static_cast<std::size_t>(count - 1), keywords.ptr(), weak};
    return submit_plain_call(runtime_in(self), call, std::move(options));
  });
}

PyMethodDef call_definition{
    "call", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&call_in_runtime)),
    METH_FASTCALL | METH_KEYWORDS,
    "call(function, *arguments, priority=0, name=None, after=None, devices=None, nested=False, weak=None, "
    "deadline=None, stop=None, **keywords)\n--\n\n"
    "Calls a plain Python function on a worker, with any objects as arguments. Returns a Future: its result() is what "
    "the\n"
    "function returns, and raises the exception that the function raised. Arguments that are futures of this runtime "
    "are\n"
    "replaced by their results, which the call waits for; if one of them failed, the function is not called, and "
    "result()\n"
    "raises that exception. A keyword that names a parameter of the function is the function's, also where an option "
    "of\n"
    "the task has this name. Waits for all tasks raise the exceptions that nobody has asked a future for.\n\n"
    "A function may call others in this way and wait for their results. Its call ends after these, and fails with "
    "them.\n"
    "`nested` and `weak`: the kernels that it submits use these data, and belong to the call (docs/python.md).\n"
    "`deadline` (seconds from now, or a timedelta) and `stop` (a StopToken): when nobody wants the result any more. "
    "They are\n"
    "those of the calls that the function makes, too."};

/// Implements `rt._submit_work(work, function, stop)`, where `stop` is a `StopToken` or None.
PyObject* submit_work_of(PyObject* self, PyObject* const* arguments, Py_ssize_t count) {
  return guarded([&]() -> py::object {
    if (count != 3) throw py::type_error("_submit_work takes the work, its function, and a stop token or None");
    StopToken stop = arguments[2] == Py_None ? StopToken() : stop_token_of(arguments[2]);
    submit_work(runtime_in(self), py::reinterpret_borrow<py::object>(arguments[0]), arguments[1], std::move(stop));
    return py::none();
  });
}

PyMethodDef work_definition{"_submit_work",
                            reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&submit_work_of)), METH_FASTCALL,
                            nullptr};

void add_method(const py::object& type, PyMethodDef& definition) {
  auto* const of = reinterpret_cast<PyTypeObject*>(type.ptr());
  const auto method = py::reinterpret_steal<py::object>(PyDescr_NewMethod(of, &definition));
  if (!method) throw py::error_already_set();
  type.attr(definition.ml_name) = method;
}

}  // namespace

void bind_calls(py::module_& module) {
  const py::object type = module.attr("Runtime");
  add_method(type, call_definition);
  add_method(type, work_definition);
  // Throws unless an executor can use the runtime.
  module.def("_require_executor", [](const py::object& runtime) {
    RuntimeState& state = runtime_in(runtime);
    require_plain_calls(state);
    if (state.runs_in_waiting_thread()) {
      raise(ErrorCode::invalid_argument,
            "an executor's futures wait without the runtime, and this runtime runs its tasks in the thread that waits "
            "(deterministic=True): use runtime.call(function)");
    }
  });
  module.def(
      "_in_kernel_of", [](const py::object& runtime) { return RuntimeState::in_kernel() == &runtime_in(runtime); },
      "Returns true if the calling thread runs a kernel or a function of this runtime.");
  module.def(
      "_task_here", [] { return reinterpret_cast<std::uintptr_t>(RuntimeState::innermost_task()); },
      "Returns a number of the task whose kernel or function the calling thread runs; 0 outside of these. Tasks that "
      "run "
      "at the same time have different numbers.");
}

}  // namespace troupe::python
