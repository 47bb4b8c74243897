/// Futures of tasks and of runs of recordings.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>

#include "python/module/task_cell.hpp"
#include "troupe/handle.hpp"

namespace troupe::python {

class RuntimeState;

/// The object behind a `troupe.Future`. If `cell` is empty, the future belongs to a recorded task, and can only be used
/// in the option `after`.
struct FutureObject {
  std::shared_ptr<RuntimeState> runtime;
  Future future;
  CellReference cell;
};

/// Makes the Python object of a future.
[[nodiscard]] pybind11::object make_future(std::shared_ptr<RuntimeState> runtime, const Future& future,
                                           CellReference cell);
/// Returns the object behind a `troupe.Future`; null if the object is of another type.
[[nodiscard]] const FutureObject* future_object_in(pybind11::handle object);
/// Returns the C++ future of a `troupe.Future`; null if the object is of another type.
[[nodiscard]] const Future* future_in(pybind11::handle object);

}  // namespace troupe::python
