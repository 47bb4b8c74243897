#include "python/module/kernels/plain_call.hpp"

#include <array>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "client/backend.hpp"
#include "kernels/blas_threads.hpp"
#include "python/module/errors.hpp"
#include "python/module/future_object.hpp"
#include "python/module/gil.hpp"
#include "python/module/runtime_state.hpp"
#include "python/module/task_cell.hpp"
#include "python/module/task_options.hpp"

namespace troupe::python {

namespace py = pybind11;

namespace {

/// Replaces futures by the results of their tasks. The caller keeps the futures, and the futures keep the results.
class Inputs {
 public:
  explicit Inputs(const TaskCell& cell) : any_(cell.inputs != nullptr) {}

  [[nodiscard]] PyObject* value_of(PyObject* argument) const {
    const FutureObject* const future = any_ ? future_object_in(argument) : nullptr;
    if (future == nullptr) return argument;
    return future->cell->result == nullptr ? Py_None : future->cell->result;
  }

  /// Returns the keywords with results in place of futures.
  [[nodiscard]] py::object values_of(PyObject* keywords) const {
    if (!any_ || keywords == nullptr) return py::reinterpret_borrow<py::object>(keywords);
    py::dict values;
    for (const auto& [name, argument] : py::reinterpret_borrow<py::dict>(keywords)) {
      values[name] = py::handle(value_of(argument.ptr()));
    }
    return values;
  }

 private:
  bool any_;
};

/// Calls the function. Returns null, with the exception set, if the function raises an exception.
PyObject* call_function(const TaskCell& cell) {
  const std::size_t count = cell.further == nullptr ? 0 : static_cast<std::size_t>(PyTuple_GET_SIZE(cell.further));
  // Python itself uses the element before the arguments (PY_VECTORCALL_ARGUMENTS_OFFSET).
  std::array<PyObject*, 9> few;
  std::vector<PyObject*> many;
  PyObject** arguments = few.data();
  if (count + 1 > few.size()) {
    many.resize(count + 1);
    arguments = many.data();
  }
  ++arguments;
  const Inputs inputs(cell);
  for (std::size_t i = 0; i < count; ++i) arguments[i] = inputs.value_of(PyTuple_GET_ITEM(cell.further, i));
  const py::object keywords = inputs.values_of(cell.keywords);
  return PyObject_VectorcallDict(cell.function, arguments, count | PY_VECTORCALL_ARGUMENTS_OFFSET, keywords.ptr());
}

bool tells_failure(const TaskCell& cell) {
  return (cell.stage.load(std::memory_order_relaxed) & TaskCell::kTellsFailure) != 0;
}

/// Notes that the call has failed, for the next wait for all tasks. A call fails if a call that it has made fails, so
/// the outermost call stands for all of them.
void report_failure(TaskCell& cell) {
  TaskCell* outermost = &cell;
  while (outermost->parent != nullptr && outermost->parent->plain && !tells_failure(*outermost->parent)) {
    outermost = outermost->parent;
  }
  outermost->add_reference();
  cell.runtime->add_failed_call(CellReference(outermost));
}

/// Runs the task of a call. The task's cell is its only argument by value.
void run_plain_call(const KernelContext& context) {
  TaskCell& cell = *context.argument<TaskCell*>(0);
  const kernels::BlasInOneThread blas;
  const WithGil lock;
  const RuntimeState::KernelScope scope(cell, context);
  PyObject* const result = call_function(cell);
  if (result != nullptr) {
    cell.result = result;
    cell.forget_call();
    return;
  }
  const py::object exception = take_exception();
  const std::string text = text_of(exception);
  const ErrorCode code = code_of(exception);
  cell.exception.store(exception.inc_ref().ptr());
  cell.tell_parents();
  if (!tells_failure(cell)) {
    cell.forget_call();
    // A call that ends with `Cancelled`, because calls inside of it were cancelled, has not failed.
    if (code != ErrorCode::cancelled) report_failure(cell);
  }
  throw Error(code, text);
}

std::string function_name(py::handle function) {
  const auto name = py::reinterpret_steal<py::object>(PyObject_GetAttrString(function.ptr(), "__name__"));
  if (name && py::isinstance<py::str>(name)) return name.cast<std::string>();
  PyErr_Clear();
  return Py_TYPE(function.ptr())->tp_name;
}

/// Returns the codelet for calls of functions with the name of this function. All functions of one name share a
/// codelet, because reports, traces and learned times are by codelet. The number of codelets is limited: all further
/// names share one more codelet.
const Codelet& codelet_for(py::handle function) {
  // Never destroyed, because the interpreter may end before static objects are destroyed.
  static auto* const all = new std::unordered_map<std::string, Codelet>;
  constexpr std::size_t most = 1000;
  std::string name = function_name(function);
  if (const auto found = all->find(name); found != all->end()) return found->second;
  if (all->size() >= most) name = "call";
  const auto [made, is_new] = all->try_emplace(name, Codelet::reported_by_futures(name));
  if (is_new) made->second.cpu(&run_plain_call);
  return made->second;
}

/// Adds the future to the call's inputs: the tasks whose results the call needs.
void add_input(RuntimeState& runtime, const FutureObject& future, TaskCell& cell, TaskOptions& options) {
  if (future.runtime.get() != &runtime) {
    raise(ErrorCode::invalid_argument,
          "an argument of the call is a future of another runtime: pass its result, future.result()");
  }
  if (future.cell.get() == nullptr || future.cell->is_run) {
    raise(ErrorCode::invalid_argument,
          "an argument of the call is a future of a recording, which has no result: name it in after=");
  }
  if (cell.inputs == nullptr) cell.inputs = std::make_shared<std::vector<CellReference>>();
  future.cell->add_reference();
  cell.inputs->emplace_back(future.cell.get());
  options.after.push_back(future.future);
}

/// Stores the function and its arguments in the cell.
void take_call(RuntimeState& runtime, const PlainCall& call, TaskCell& cell, TaskOptions& options) {
  cell.function = py::reinterpret_borrow<py::object>(call.function).release().ptr();
  const auto look = [&](PyObject* argument) {
    const FutureObject* const future = future_object_in(argument);
    if (future != nullptr) add_input(runtime, *future, cell, options);
  };
  if (call.count > 0) {
    cell.further = PyTuple_New(static_cast<Py_ssize_t>(call.count));
    if (cell.further == nullptr) throw py::error_already_set();
  }
  for (std::size_t i = 0; i < call.count; ++i) {
    PyTuple_SET_ITEM(cell.further, static_cast<Py_ssize_t>(i), py::handle(call.arguments[i]).inc_ref().ptr());
    look(call.arguments[i]);
  }
  if (call.keywords == nullptr) return;
  cell.keywords = py::reinterpret_borrow<py::object>(call.keywords).release().ptr();
  for (const auto& [name, argument] : py::reinterpret_borrow<py::dict>(call.keywords)) look(argument.ptr());
}

/// Submits the task of a cell, which takes over the reference `task`.
Future submit_cell(RuntimeState& runtime, const Codelet& codelet, CellReference task, TaskOptions& options) {
  TaskCell* const cell = task.get();
  cell->runtime = &runtime;
  options.callback = [cell](const TaskOutcome& outcome) { cell->end(outcome); };
  const Arguments arguments = args(cell);
  graph::TaskSpecification specification{codelet, {}, arguments, options};
  // If a function makes further calls, its task ends after them, as a nested task does.
  specification.may_nest = runtime.calls();
  specification.callback_tells = false;
  const Future future = runtime.submit(specification);
  // From here on, the end of the task drops the task's reference.
  task.leave();
  return future;
}

}  // namespace

void require_plain_calls(const RuntimeState& runtime) {
  if (runtime.runtime()->backend().shares_memory()) return;
  raise(
      ErrorCode::no_implementation,
      "a service runs no functions of this program: call them in a troupe.Runtime, whose workers are in this process");
}

py::object submit_plain_call(RuntimeState& runtime, const PlainCall& call, TaskOptions options) {
  require_plain_calls(runtime);
  if (runtime.recording_here()) {
    raise(ErrorCode::invalid_argument,
          "a recording cannot keep a call, which returns its result to the program once: record kernels, or call the "
          "function after the recording");
  }
  CellReference task(new TaskCell);
  task->plain = true;
  take_call(runtime, call, *task.get(), options);
  take_nesting(runtime, call.weak, *task.get(), options);
  check_limits(runtime, options, function_name(call.function));
  task->add_reference();
  CellReference mine(task.get());
  const Future future = submit_cell(runtime, codelet_for(call.function), std::move(task), options);
  return make_future(runtime.shared_from_this(), future, std::move(mine));
}

void submit_work(RuntimeState& runtime, py::object work, py::handle function, StopToken stop) {
  CellReference task(new TaskCell);
  task->plain = true;
  task->function = work.release().ptr();
  task->stage.store(TaskCell::kTellsFailure, std::memory_order_relaxed);
  TaskOptions options;
  options.stop = std::move(stop);
  // The functions of an executor are tasks of the program, even if a function of the executor submits them: in a chain
  // of functions that each submit the next function, all tasks would otherwise wait for the last.
  std::optional<graph::UnboundedSubmission> as_program;
  if (runtime.task_here() != nullptr) as_program.emplace(runtime.graph());
  submit_cell(runtime, codelet_for(function), std::move(task), options);
}

}  // namespace troupe::python
