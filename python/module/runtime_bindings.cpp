#include "client/runtime.hpp"

#include <pybind11/pybind11.h>

#include "python/module/bindings.hpp"

namespace troupe::python {

void bind_runtime(pybind11::module_& module) { (void)module; }

}  // namespace troupe::python
