/// The version of Troupe. The module and the library that it has loaded must have the same version, and the process
/// must not have loaded a second copy of the library.
#include <fmt/format.h>
#include <link.h>
#include <pybind11/pybind11.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "python/module/bindings/bindings.hpp"
#include "troupe/version.hpp"

namespace troupe::python {

namespace py = pybind11;

namespace {

/// Returns the paths of the loaded libraries with this name.
std::vector<std::string> loaded_libraries() {
  std::vector<std::string> paths;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t /*size*/, void* found) {
        const std::string_view path = info->dlpi_name;
        const std::string_view file = path.substr(path.rfind('/') + 1);
        if (file.starts_with("libtroupe.so")) static_cast<std::vector<std::string>*>(found)->emplace_back(path);
        return 0;
      },
      &paths);
  return paths;
}

/// Throws `ImportError` if the versions differ, or if there are several libraries.
void check_versions(const std::string& module, const std::string& library, const std::vector<std::string>& paths) {
  if (module != library) {
    throw py::import_error(fmt::format(
        "the Python package is of Troupe {}, but the library that was loaded is of {} ({}): install both in the same "
        "version, and look at LD_LIBRARY_PATH and PYTHONPATH",
        module, library, paths.empty() ? "inside of the module" : paths.front()));
  }
  if (paths.size() > 1) {
    throw py::import_error(fmt::format(
        "two copies of Troupe's library are in this process, whose runtimes would not know each other: {} and "
        "{}. Have every part of the program use the same one",
        paths[0], paths[1]));
  }
}

}  // namespace

void bind_version(py::module_& module) {
  check_versions(TROUPE_VERSION, version().number, loaded_libraries());
  module.attr("__version__") = TROUPE_VERSION;
  module.def("_check_versions", [](const std::string& own, const std::string& library, const py::list& paths) {
    std::vector<std::string> all;
    for (const py::handle path : paths) all.push_back(path.cast<std::string>());
    check_versions(own, library, all);
  });
}

}  // namespace troupe::python
