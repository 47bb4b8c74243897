/// The module `_troupe`. Calls the functions that bind its classes and functions. A type must be bound before functions
/// that have the type in their signature.
#include <pybind11/pybind11.h>

#include "python/module/bindings/bindings.hpp"

PYBIND11_MODULE(_troupe, module) {
  module.doc() = "Troupe's runtime. Use the package `troupe`, which stands on it.";
  troupe::python::bind_version(module);
  troupe::python::bind_errors();
  troupe::python::bind_codelets(module);
  troupe::python::bind_data(module);
  troupe::python::bind_stop(module);
  troupe::python::bind_futures(module);
  troupe::python::bind_runtime(module);
  troupe::python::bind_calls(module);
  troupe::python::bind_recordings(module);
  troupe::python::bind_reports(module);
  troupe::python::bind_traces(module);
  troupe::python::bind_linalg(module);
  troupe::python::bind_simulation(module);
#ifdef TROUPE_SERVICE
  troupe::python::bind_service(module);
#endif
}
