#include <pybind11/pybind11.h>

#include "proto/errors.hpp"
#include "python/module/bindings.hpp"

namespace troupe::python {

void bind_errors(pybind11::module_& module) { (void)module; }

}  // namespace troupe::python
