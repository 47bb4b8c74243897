// The service of this node, in place of workers of the program's own. Left out where Troupe is built without it.
#include <pybind11/pybind11.h>

#include <memory>
#include <string>
#include <utility>

#include "client/connect_options.hpp"
#include "client/runtime.hpp"
#include "python/module/bindings.hpp"
#include "python/module/objects.hpp"

namespace troupe::python {

namespace py = pybind11;

void bind_service(py::module_& module) {
  module.def(
      "connect",
      [](std::string folder, std::string name) {
        std::unique_ptr<Runtime> runtime;
        {
          const WithoutGil others;
          runtime.reset(new Runtime(Runtime::connect({std::move(folder), std::move(name)})));
        }
        return std::make_unique<RuntimeObject>(RuntimeState::adopt(std::move(runtime)));
      },
      py::arg("folder"), py::arg("name"), "A runtime on the service whose sockets lie in this folder.");
}

}  // namespace troupe::python
