#include <pybind11/pybind11.h>

#include "python/module/bindings.hpp"

namespace troupe::python {

void bind_version(pybind11::module_& module) { module.attr("__version__") = TROUPE_VERSION; }

}  // namespace troupe::python
