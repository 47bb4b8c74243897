/// The functions that bind the classes and functions of the module. Each of them is in a file of its own.
#pragma once

#include <pybind11/pybind11.h>

namespace troupe::python {

/// Binds the version, and checks that the libraries have the same version.
void bind_version(pybind11::module_& module);
/// Translates the runtime's errors into the exceptions of troupe/errors.py.
void bind_errors();
void bind_codelets(pybind11::module_& module);
void bind_data(pybind11::module_& module);
/// Binds `StopToken`.
void bind_stop(pybind11::module_& module);
void bind_futures(pybind11::module_& module);
void bind_runtime(pybind11::module_& module);
/// Calls, recordings and reports must be bound after the runtime, because they add members to its class.
void bind_calls(pybind11::module_& module);
void bind_recordings(pybind11::module_& module);
void bind_reports(pybind11::module_& module);
/// Binds `Trace`, and `Runtime.take_trace`.
void bind_traces(pybind11::module_& module);
/// Binds the submodule `_linalg`: factorizations of arrays.
void bind_linalg(pybind11::module_& module);
/// Binds the submodule `_simulation`: graphs in virtual time.
void bind_simulation(pybind11::module_& module);
/// Binds `connect`, if Troupe is built with the service.
void bind_service(pybind11::module_& module);

}  // namespace troupe::python
