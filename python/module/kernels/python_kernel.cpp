/// Kernels in Python, as workers call them.
#include <fmt/format.h>

#include <utility>

#include "kernels/blas_threads.hpp"
#include "python/module/errors.hpp"
#include "python/module/gil.hpp"
#include "python/module/kernels/codelet_object.hpp"
#include "python/module/runtime_state.hpp"
#include "python/module/task_cell.hpp"

namespace troupe::python {

namespace py = pybind11;

namespace {

/// Calls the kernel's function. Returns null, with the exception set, if the function raises an exception.
PyObject* call(const TaskCell& cell, const KernelContext& context, RuntimeState::KernelScope& scope) {
  const std::size_t further = cell.further == nullptr ? 0 : static_cast<std::size_t>(PyTuple_GET_SIZE(cell.further));
  const std::size_t count = context.size() + further;
  // An array on the stack is enough for most kernels. Python itself uses the first element
  // (PY_VECTORCALL_ARGUMENTS_OFFSET).
  std::array<PyObject*, 12> few;
  std::vector<PyObject*> many;
  PyObject** arguments = few.data();
  if (count + 1 > few.size()) {
    many.resize(count + 1);
    arguments = many.data();
  }
  ++arguments;
  std::size_t made = 0;
  std::vector<std::size_t> copies;
  PyObject* result = nullptr;
  try {
    for (; made < context.size(); ++made) {
      const TaskCell::Parameter& parameter = cell.parameters[made];
      ArrayData::Argument argument = parameter.data->argument_for(context.data(made), parameter.writable);
      if (argument.copied) copies.push_back(made);
      arguments[made] = argument.array.release().ptr();
    }
    for (std::size_t i = 0; i < further; ++i) arguments[context.size() + i] = PyTuple_GET_ITEM(cell.further, i);
    scope.set_arguments(arguments);
    result = PyObject_VectorcallDict(cell.function, arguments, count | PY_VECTORCALL_ARGUMENTS_OFFSET, cell.keywords);
  } catch (py::error_already_set& error) {
    error.restore();
  }
  scope.set_arguments(nullptr);
  for (const std::size_t i : copies) {
    if (result == nullptr) break;
    if (cell.parameters[i].writable) copy_back(py::reinterpret_borrow<py::array>(arguments[i]), context.data(i));
    // Refuse a kernel that has kept a reference to the array: the array is only a copy.
    if (Py_REFCNT(arguments[i]) > 1) {
      Py_CLEAR(result);
      PyErr_Format(
          PyExc_RuntimeError,
          "the kernel kept or returned argument %zu, or has submitted a task on a part of it, but the argument is a "
          "copy or a partial result that ends with the kernel: keep a copy of it, and submit tasks on parts of data",
          i);
    }
  }
  for (std::size_t i = 0; i < made; ++i) Py_DECREF(arguments[i]);
  return result;
}

}  // namespace

void run_python_kernel(const KernelContext& context) {
  TaskCell& cell = *context.argument<TaskCell*>(0);
  // Kernels run beside each other, so numpy's products in them must not start threads of their own.
  const kernels::BlasInOneThread blas;
  const WithGil lock;
  RuntimeState::KernelScope scope(cell, context);
  PyObject* const result = call(cell, context, scope);
  if (result != nullptr) {
    if (cell.recorded) {
      Py_DECREF(result);
      return;
    }
    cell.result = result;
    cell.forget_call();
    return;
  }
  py::object exception = take_exception();
  const std::string text = text_of(exception);
  const ErrorCode code = code_of(exception);
  // If several runs fail before the program gets the exception, keep the first exception.
  PyObject* none = nullptr;
  if (cell.exception.compare_exchange_strong(none, exception.ptr())) exception.inc_ref();
  cell.tell_parents();
  if (!cell.recorded) cell.forget_call();
  cell.runtime->add_exception(std::move(exception));
  throw Error(code, text);
}

std::unique_ptr<CodeletObject> make_python_codelet(py::object function, std::string name,
                                                   const std::vector<std::string>& words, PythonSignature signature) {
  std::vector<AccessMode> modes;
  bool repeats = false;
  for (const std::string& word : words) {
    if (repeats) throw py::value_error("codelet '" + name + "': only the last mode may begin with '*'");
    repeats = word.starts_with('*');
    modes.push_back(mode_of(repeats ? word.substr(1) : word));
  }
  Codelet codelet = repeats ? Codelet::variadic(name) : Codelet(name, modes);
  codelet.cpu(&run_python_kernel);
  return std::make_unique<CodeletObject>(CodeletObject{.codelet = std::move(codelet),
                                                       .kind = CodeletObject::Kind::python,
                                                       .modes = std::move(modes),
                                                       .repeats = repeats,
                                                       .function = std::move(function),
                                                       .signature = std::move(signature)});
}

AccessMode mode_of(const std::string& word) {
  if (word == "read" || word == "r") return AccessMode::read;
  if (word == "write" || word == "w") return AccessMode::write;
  if (word == "rw" || word == "read_write") return AccessMode::read_write;
  if (word == "commute") return AccessMode::commute;
  if (word == "reduce") return AccessMode::reduce;
  throw py::value_error(fmt::format("'{}' is no access mode: use read, write, rw, commute or reduce{}", word,
                                    did_you_mean(word, {"read", "write", "rw", "read_write", "commute", "reduce"})));
}

}  // namespace troupe::python
