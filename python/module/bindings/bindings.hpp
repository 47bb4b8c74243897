/// What the module consists of: one function per idea, each in a file of its own.
#pragma once

#include <pybind11/pybind11.h>

namespace troupe::python {

/// The version, and whether the libraries have the same.
void bind_version(pybind11::module_& module);
/// The runtime's errors become the exceptions of troupe/errors.py.
void bind_errors();
void bind_codelets(pybind11::module_& module);
void bind_data(pybind11::module_& module);
void bind_futures(pybind11::module_& module);
void bind_runtime(pybind11::module_& module);
/// After the runtime: they add to its class.
void bind_recordings(pybind11::module_& module);
void bind_reports(pybind11::module_& module);
/// `Trace`, and `Runtime.take_trace`.
void bind_traces(pybind11::module_& module);
/// The submodule `_linalg`: factorizations of arrays.
void bind_linalg(pybind11::module_& module);
/// The submodule `_simulation`: graphs in virtual time.
void bind_simulation(pybind11::module_& module);
/// `connect`, where there is a service.
void bind_service(pybind11::module_& module);

}  // namespace troupe::python
