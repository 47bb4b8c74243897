/// Calls of plain Python functions, which take and return any objects: `Runtime.call`, and the tasks of an executor.
///
/// The task of a call has no data. If the function raises an exception, the task fails, so that tasks after it are
/// cancelled. The exception goes to the future of the call. `Runtime.wait` and the end of the runtime report the
/// exception only if the program has not got it from this future (`RuntimeState::add_failed_call`).
#pragma once

#include <pybind11/pybind11.h>

#include <cstddef>

#include "troupe/handle.hpp"

namespace troupe::python {

class RuntimeState;

/// A call of a function, with references that the caller keeps.
struct PlainCall {
  pybind11::handle function;
  PyObject* const* arguments;
  std::size_t count;
  /// A dictionary, or null.
  PyObject* keywords;
  /// The option `weak`; may be empty.
  pybind11::object weak = {};
};

/// Submits the call, and returns its future. An argument that is a future of this runtime is replaced by the future's
/// result, for which the task waits. Throws `NoImplementation` for the runtime of a service, and `InvalidArgument`
/// while the calling thread records, or for a future of a recording or of another runtime.
[[nodiscard]] pybind11::object submit_plain_call(RuntimeState& runtime, const PlainCall& call, TaskOptions options);

/// Submits a call of `work`, which takes no arguments and raises no exceptions, for an executor. There is no future: if
/// `work` does not run to its end, `take_ended` returns the cell of its task. `work` calls `function`, whose name the
/// task gets. `stop` is the stop token of the executor.
void submit_work(RuntimeState& runtime, pybind11::object work, pybind11::handle function, StopToken stop);

/// Throws unless plain functions can run in this runtime: `NoImplementation` for the runtime of a service, `Stopped` if
/// the runtime has ended.
void require_plain_calls(const RuntimeState& runtime);

}  // namespace troupe::python
