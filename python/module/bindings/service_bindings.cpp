// `connect` and kernels of plug-ins, for runtimes on the service of this node. This file is not compiled if Troupe is
// built without the service.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "python/module/bindings/bindings.hpp"
#include "python/module/kernels/codelet_object.hpp"
#include "python/module/objects.hpp"
#include "troupe/runtime.hpp"

namespace troupe::python {

namespace py = pybind11;

namespace {

/// Makes a codelet that only the service implements. The service checks the arguments of tasks against its own codelet.
std::unique_ptr<CodeletObject> make_plugin_codelet(const std::string& name, const std::vector<std::string>& words) {
  std::vector<AccessMode> modes;
  std::vector<ScalarType> scalars;
  std::vector<ArgumentType> types;
  for (const std::string& word : words) {
    if (const auto scalar = scalar_named(word)) {
      scalars.push_back(*scalar);
      types.push_back(argument_type_of(*scalar));
    } else if (scalars.empty()) {
      modes.push_back(mode_of(word));
    } else {
      throw py::value_error("codelet '" + name + "': '" + word +
                            "' is no type of a number; arrays come before all numbers");
    }
  }
  Codelet codelet(name, modes);
  codelet.takes(std::move(types));
  return std::make_unique<CodeletObject>(CodeletObject{.codelet = std::move(codelet),
                                                       .kind = CodeletObject::Kind::built_in,
                                                       .modes = std::move(modes),
                                                       .scalars = std::move(scalars)});
}

}  // namespace

void bind_service(py::module_& module) {
  module.def("_plugin_codelet", &make_plugin_codelet, py::arg("name"), py::arg("parameters"));
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
