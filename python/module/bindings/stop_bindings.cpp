/// `troupe.StopToken`, by which a program tells several tasks that nobody wants their results any more.
#include <fmt/format.h>
#include <pybind11/pybind11.h>

#include "python/module/bindings/bindings.hpp"
#include "python/module/task_options.hpp"

namespace troupe::python {

namespace py = pybind11;

const StopObject* stop_in(py::handle object) {
  return py::isinstance<StopObject>(object) ? &object.cast<const StopObject&>() : nullptr;
}

void bind_stop(py::module_& module) {
  py::class_<StopObject>(module, "StopToken",
                         R"(Cancels several tasks together: those that were given this token by the option `stop`.

    found = troupe.StopToken()
    for part in parts:
        search(part, stop=found)
    found.request_stop()

After `request_stop`, tasks that have not begun are cancelled when their turn comes, and `troupe.cancelled()` is true in
kernels and functions that run. Tasks of several runtimes may share a token, and the tasks inside of a nested task or a
call have its token, too.)")
      .def(py::init<>())
      .def(
          "request_stop", [](StopObject& self) { return self.source.request_stop(); },
          "Asks to stop. May be called in any thread, and in kernels. Returns True for the first request only. There "
          "is "
          "no way back: later tasks need another token.")
      .def(
          "stop_requested", [](const StopObject& self) { return self.source.stop_requested(); },
          "Returns True once somebody has asked to stop.")
      .def("__repr__", [](const StopObject& self) {
        return fmt::format("<troupe.StopToken{}>", self.source.stop_requested() ? ", stop requested" : "");
      });
}

}  // namespace troupe::python
