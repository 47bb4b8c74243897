/// The Python objects of this module, and the C++ objects behind them.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>

#include "python/module/array_data.hpp"
#include "python/module/errors.hpp"
#include "python/module/kernels/codelet_object.hpp"
#include "python/module/runtime_state.hpp"

namespace troupe::python {

/// The object behind a `troupe.Runtime`.
struct RuntimeObject {
  std::shared_ptr<RuntimeState> state;

  explicit RuntimeObject(std::shared_ptr<RuntimeState> started) : state(std::move(started)) {}
  RuntimeObject(const RuntimeObject&) = delete;
  RuntimeObject& operator=(const RuntimeObject&) = delete;
  /// Waits for all tasks. If a kernel drops the last reference to its own runtime, the wait happens at the
  /// interpreter's end instead.
  ~RuntimeObject();
};

/// Both functions return the data behind a `troupe.Data`; null if the object is of another type.
[[nodiscard]] ArrayData* data_in(pybind11::handle object);
[[nodiscard]] const std::shared_ptr<ArrayData>* shared_data_in(pybind11::handle object);
/// Returns the codelet behind a `troupe.Codelet`; null if the object is of another type.
[[nodiscard]] CodeletObject* codelet_in(pybind11::handle object);
/// Returns the runtime behind a `troupe.Runtime`. Throws `TypeError` for other objects.
[[nodiscard]] RuntimeState& runtime_in(pybind11::handle object);

/// Returns the runtime of the calling thread's innermost open `with` block. If this thread has no open block, returns
/// the runtime of the open blocks of other threads; null if there are none. Throws if these blocks belong to several
/// runtimes.
[[nodiscard]] std::shared_ptr<RuntimeState> current_runtime();

/// Runs a body that may throw, for a function that C calls. If the body throws, sets the Python exception and returns
/// null.
template <class Body>
PyObject* guarded(const Body& body) noexcept {
  try {
    return pybind11::object(body()).release().ptr();
  } catch (pybind11::error_already_set& error) {
    error.restore();
  } catch (const pybind11::builtin_exception& error) {
    error.set_error();
  } catch (const Error& error) {
    const pybind11::object exception = exception_of(error.code(), error.what());
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(exception.ptr())), exception.ptr());
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
  return nullptr;
}

}  // namespace troupe::python
