/// What the module consists of: one function per idea, each in a file of its own.
#pragma once

#include <pybind11/pybind11.h>

namespace troupe::python {

/// The version, and whether the libraries have the same.
void bind_version(pybind11::module_& module);
/// `TroupeError` and a subclass for each error code.
void bind_errors(pybind11::module_& module);
void bind_runtime(pybind11::module_& module);
/// The submodule `_linalg`: factorizations of arrays.
void bind_linalg(pybind11::module_& module);
/// The submodule `_simulation`: graphs in virtual time.
void bind_simulation(pybind11::module_& module);

}  // namespace troupe::python
