/// What the module consists of: one function per idea, each in a file of its own.
#pragma once

#include <pybind11/pybind11.h>

namespace troupe::python {

/// The version, and whether the libraries have the same.
void bind_version(pybind11::module_& module);
/// `TroupeError` and a subclass for each error code.
void bind_errors(pybind11::module_& module);
void bind_codelets(pybind11::module_& module);
void bind_data(pybind11::module_& module);
void bind_futures(pybind11::module_& module);
void bind_runtime(pybind11::module_& module);
/// After the runtime: they add to its class.
void bind_recordings(pybind11::module_& module);
void bind_reports(pybind11::module_& module);

}  // namespace troupe::python
