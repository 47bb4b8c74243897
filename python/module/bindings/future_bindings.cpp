/// Futures, as far as they are written in C++. troupe/futures.py adds support for `concurrent.futures` and `asyncio`.
#include <fmt/format.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <chrono>
#include <optional>

#include "python/module/bindings/bindings.hpp"
#include "python/module/errors.hpp"
#include "python/module/future_object.hpp"
#include "python/module/runtime_state.hpp"
#include "python/module/values.hpp"

namespace troupe::python {

namespace py = pybind11;

namespace {

PyTypeObject* future_type = nullptr;

void require_cell(const FutureObject& self) {
  if (self.cell.get() != nullptr) return;
  raise(ErrorCode::invalid_argument,
        "a task of a recording was asked how it ended: it runs when the recording does, so ask what run returns");
}

/// If this is the future of a run of a recording, checks whether the run has ended.
void look(const FutureObject& self) {
  const bool may_look = self.cell->is_run && !self.cell->ended() && self.runtime->open() &&
                        RuntimeState::in_kernel() == nullptr && !self.runtime->recording_here();
  if (may_look) self.runtime->settle_runs();
}

std::string state_of(const FutureObject& self) {
  if (self.cell.get() == nullptr) return "recorded";
  look(self);
  return self.cell->ended() ? to_string(self.cell->status) : "pending";
}

/// Throws if the task waits for data that this thread holds (`Data.acquire`).
void require_end(const FutureObject& self) {
  graph::TaskGraph* const graph = self.runtime->graph();
  if (graph == nullptr || !self.runtime->open()) return;
  // The pointer keeps the graph alive if another thread closes the runtime meanwhile.
  const auto runtime = self.runtime->runtime();
  const WithoutGil without;
  graph->check_may_wait(self.future).value_or_throw();
}

/// Waits for the end of the task in a kernel of another runtime. The runtime of the kernel lets other tasks use its
/// core meanwhile, so that the task may itself wait for tasks on that core.
void wait_in_other_kernel(const FutureObject& self) {
  if (!self.runtime->open()) return;
  // The pointer keeps the task's runtime alive if another thread closes it meanwhile.
  const auto runtime = self.runtime->runtime();
  const WithoutGil without;
  try {
    self.future.wait();
  } catch (const Error&) {
    if (self.future.status() == TaskStatus::pending) throw;
  }
}

/// Waits for the end of the task; returns false after the timeout.
bool wait(const FutureObject& self, std::optional<double> timeout) {
  require_cell(self);
  if (self.cell->ended()) return true;
  RuntimeState& state = *self.runtime;
  state.require_own_process();
  const bool in_kernel = state.task_here() != nullptr;
  const bool runs_tasks = in_kernel || state.runs_in_waiting_thread();
  if (runs_tasks && timeout && *timeout <= 0) return false;
  if (runs_tasks || state.recording_here()) {
    // `Future::wait` throws the right error if this thread must not wait for the task. Otherwise `Future::wait` runs
    // the task in this thread. In a kernel it waits for a child while the worker runs other tasks; no time limit can
    // interrupt these tasks.
    const auto runtime = state.runtime();
    {
      const WithoutGil without;
      try {
        self.future.wait();
      } catch (const Error&) {
        if (self.future.status() == TaskStatus::pending) throw;
      }
    }
    look(self);
    if (in_kernel && self.cell->is_run && !self.cell->ended()) {
      raise(ErrorCode::wait_in_kernel,
            "a kernel or function asked how a run of a recording ended, which the program finds out: ask there, or let "
            "a task use what the run has written");
    }
    // The cell learns of the end a moment after other threads may have seen the task's status.
    return self.cell->ended() || (!self.cell->is_run && self.cell->wait(std::nullopt));
  }
  if (!timeout && RuntimeState::in_kernel() != nullptr) wait_in_other_kernel(self);
  std::optional<std::chrono::duration<double>> limit;
  if (timeout) limit.emplace(*timeout);
  if (self.cell->is_run) {
    look(self);
    if (!self.cell->ended()) state.watch_runs();
  }
  // A wait with a time limit ends in any case, so it needs no check.
  if (!limit) require_end(self);
  return self.cell->wait(limit);
}

/// Returns the exception of a task that failed or was cancelled; None if it has succeeded. For a call of a plain
/// function this is the function's own exception. From here on the failure counts as told.
py::object exception(const FutureObject& self) {
  if (self.cell->status == TaskStatus::succeeded) return py::none();
  TaskCell& cell = self.cell->told();
  PyObject* const raised = cell.exception.load();
  const py::object cause = raised == nullptr ? py::object(py::none()) : py::reinterpret_borrow<py::object>(raised);
  const bool own = cell.plain && raised != nullptr;
  py::object made = own ? cause : exception_of(cause.is_none() ? cell.code : code_of(cause), cell.message, cause);
  if (!own && !cause.is_none()) made.attr("failures").attr("append")(cause);
  // Making the exception runs code in Python, which a signal may interrupt. So the failure counts as told only now. A
  // runtime that has ended has reported it, and its tasks are gone.
  if (self.future.owner() != nullptr && self.runtime->open()) (void)self.future.owner()->outcome(self.future);
  if (own) {
    self.runtime->forget_failed_call(*self.cell.get());
    self.runtime->forget_failed_call(cell);
  }
  return made;
}

/// Waits for the end of the task. Returns None after the timeout, otherwise the exception (or None) and the result of
/// the kernel or function. These are one step because a wait may already count the failure as told: whoever waits gets
/// the failure.
py::object outcome(const FutureObject& self, const py::object& timeout) {
  std::optional<double> limit;
  if (!timeout.is_none()) limit = named("timeout", "seconds (float) or None", timeout, [&] { return number(timeout); });
  if (!wait(self, limit)) return py::none();
  const py::object failure = exception(self);
  PyObject* const result = self.cell->result;
  return py::make_tuple(failure,
                        result == nullptr ? py::object(py::none()) : py::reinterpret_borrow<py::object>(result));
}

/// Returns the cell with what the future refers to, if no other object refers to the cell; otherwise null.
TaskCell* own_cell(PyObject* self) {
  auto* const held = reinterpret_cast<py::detail::instance*>(self);
  void* const value = held->get_value_and_holder().value_ptr();
  TaskCell* const cell = value == nullptr ? nullptr : static_cast<FutureObject*>(value)->cell.get();
  return cell != nullptr && cell->ended() && cell->references.load(std::memory_order_acquire) == 1 ? cell : nullptr;
}

/// Reports references to the garbage collector. This is needed because there are cycles: an exception refers to the
/// frames that it has passed, and one of these to the future that raised it.
int traverse_future(PyObject* self, visitproc visit, void* arg) {
#if PY_VERSION_HEX >= 0x03090000
  Py_VISIT(Py_TYPE(self));
#endif
  if (TaskCell* const cell = own_cell(self)) {
    Py_VISIT(cell->result);
    Py_VISIT(cell->exception.load());
  }
  return 0;
}

int clear_future(PyObject* self) {
  if (TaskCell* const cell = own_cell(self)) {
    Py_CLEAR(cell->result);
    Py_XDECREF(cell->exception.exchange(nullptr));
  }
  return 0;
}

void set_up_future_type(PyHeapTypeObject* heap_type) {
  PyTypeObject* const type = &heap_type->ht_type;
  type->tp_flags |= Py_TPFLAGS_HAVE_GC;
  type->tp_traverse = &traverse_future;
  type->tp_clear = &clear_future;
}

}  // namespace

py::object make_future(std::shared_ptr<RuntimeState> runtime, const Future& future, CellReference cell) {
  return py::cast(std::make_unique<FutureObject>(FutureObject{std::move(runtime), future, std::move(cell)}));
}

const FutureObject* future_object_in(py::handle object) {
  return Py_TYPE(object.ptr()) == future_type ? &object.cast<FutureObject&>() : nullptr;
}

const Future* future_in(py::handle object) {
  const FutureObject* const found = future_object_in(object);
  return found == nullptr ? nullptr : &found->future;
}

void bind_futures(py::module_& module) {
  py::class_<FutureObject> type(module, "Future", py::custom_type_setup(&set_up_future_type),
                                R"(One submitted task: to wait for it, to depend on it, to cancel it.

It has the members of concurrent.futures.Future and can be awaited in asyncio. It may outlive its runtime.)");
  future_type = reinterpret_cast<PyTypeObject*>(type.ptr());
  type.def_property_readonly(
          "id", [](const FutureObject& self) { return self.future.id().value(); }, "The task's number in its runtime.")
      .def_property_readonly("state", &state_of, "'pending', 'succeeded', 'failed', 'cancelled', or 'recorded'.")
      .def("_outcome", &outcome, py::arg("timeout") = py::none())
      .def("_cancel",
           [](const FutureObject& self) {
             require_cell(self);
             if (self.cell->ended() || !self.runtime->open()) return;
             self.future.cancel();
           })
      .def("_watch",
           [](const FutureObject& self) {
             require_cell(self);
             if (self.cell->ended()) return false;
             self.runtime->require_own_process();
             if (!self.cell->watch()) return false;
             if (self.cell->is_run) self.runtime->watch_runs();
             return true;
           })
      .def_property_readonly(
          "_runs_in_wait", [](const FutureObject& self) { return self.runtime->runs_in_waiting_thread(); },
          "True if the task runs in a thread that waits for it, and nowhere else.")
      .def_property_readonly(
          "_key", [](const FutureObject& self) { return reinterpret_cast<std::uintptr_t>(self.cell.get()); });
  module.def("_set_class_of_futures", [](const py::object& property) {
    // `isinstance` reads `__class__`. A type does not allow to set `__class__` as an ordinary attribute, so write it to
    // the type's dictionary.
    if (PyDict_SetItemString(future_type->tp_dict, "__class__", property.ptr()) != 0) throw py::error_already_set();
    PyType_Modified(future_type);
  });
  module.def(
      "_take_ended",
      [] {
        py::list keys;
        for (const CellReference& cell : take_ended()) {
          if ((cell->stage.load(std::memory_order_relaxed) & TaskCell::kTellsFailure) != 0) {
            keys.append(py::handle(cell->function));
          } else {
            keys.append(reinterpret_cast<std::uintptr_t>(cell.get()));
          }
        }
        return keys;
      },
      "Waits for tasks that are watched to end, and returns their keys, or the functions of those whose failure is "
      "told; "
      "none: there will be no more.");
}

}  // namespace troupe::python
