/// `troupe.Codelet`, and the kernels that come with Troupe.
#include <fmt/format.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "graph/codelets/codelet_definition.hpp"
#include "kernels/codelets.hpp"
#include "kernels/tile_kernels.hpp"
#include "python/module/bindings/bindings.hpp"
#include "python/module/errors.hpp"
#include "python/module/kernels/codelet_object.hpp"
#include "python/module/objects.hpp"

namespace troupe::python {

namespace py = pybind11;

namespace {

PyTypeObject* codelet_type = nullptr;

CodeletObject& codelet_of(PyObject* self) {
  return *static_cast<CodeletObject*>(
      reinterpret_cast<py::detail::instance*>(self)->get_value_and_holder().value_ptr());
}

/// Implements the call `codelet(a, b, 3.0)`.
PyObject* call_codelet(PyObject* self, PyObject* arguments, PyObject* keywords) {
  return guarded([&] {
    return submit_call(codelet_of(self), &PyTuple_GET_ITEM(arguments, 0),
                       static_cast<std::size_t>(PyTuple_GET_SIZE(arguments)), keywords, nullptr);
  });
}

/// Reports references to the garbage collector. This is needed because there is a cycle: a kernel's function refers to
/// its module, whose names refer to the codelet.
int traverse_codelet(PyObject* self, visitproc visit, void* arg) {
#if PY_VERSION_HEX >= 0x03090000
  Py_VISIT(Py_TYPE(self));
#endif
  if (auto* const held = reinterpret_cast<py::detail::instance*>(self);
      held->get_value_and_holder().value_ptr() != nullptr) {
    Py_VISIT(codelet_of(self).function.ptr());
  }
  PyObject** const dictionary = _PyObject_GetDictPtr(self);
  if (dictionary != nullptr) Py_VISIT(*dictionary);
  return 0;
}

int clear_codelet(PyObject* self) {
  codelet_of(self).function = py::object();
  PyObject** const dictionary = _PyObject_GetDictPtr(self);
  if (dictionary != nullptr) Py_CLEAR(*dictionary);
  return 0;
}

void set_up_type(PyHeapTypeObject* heap_type) {
  PyTypeObject* const type = &heap_type->ht_type;
  type->tp_call = &call_codelet;
  type->tp_flags |= Py_TPFLAGS_HAVE_GC;
  type->tp_traverse = &traverse_codelet;
  type->tp_clear = &clear_codelet;
}

template <class T>
void add_built_in(py::dict& all) {
  for (const auto& entry : kernels::tile_kernels<T>()) {
    const Codelet& codelet = kernels::codelets<T>().*entry.codelet;
    const CodeletDefinition& definition = codelet.definition();
    CodeletObject object{.codelet = codelet, .kind = CodeletObject::Kind::built_in};
    object.modes = definition.modes;
    bool usable = true;
    if (definition.variadic) {
      for (const HandleGroup& group : definition.groups) {
        object.modes.push_back(group.mode);
        object.element_tags.push_back(group.parameter.element_tag);
        usable = usable && (!group.repeated || &group == &definition.groups.back());
        object.repeats = group.repeated;
      }
      usable = usable && !definition.groups.empty();
    } else {
      for (const DataParameter& parameter : definition.parameters) object.element_tags.push_back(parameter.element_tag);
    }
    for (const ArgumentType& type : definition.argument_types) {
      const auto scalar = scalar_with(type.tag);
      usable = usable && scalar.has_value();
      if (scalar) object.scalars.push_back(*scalar);
    }
    if (!usable) continue;
    py::object made = py::cast(std::make_unique<CodeletObject>(std::move(object)));
    made.attr("__doc__") = std::string(entry.description);
    all[py::str(kernels::precise_name<T>(entry.name))] = made;
  }
}

}  // namespace

CodeletObject* codelet_in(py::handle object) {
  return Py_TYPE(object.ptr()) == codelet_type ? &codelet_of(object.ptr()) : nullptr;
}

void bind_codelets(py::module_& module) {
  py::class_<CodeletObject> type(
      module, "Codelet", py::dynamic_attr(), py::custom_type_setup(&set_up_type),
      R"(A kernel with what it does to its arrays. Made by @troupe.codelet, troupe.c_codelet and
troupe.plugin_codelet; those that come with Troupe are in troupe.kernels.

Calling it submits a task: `kernel(a, b, 3.0, priority=1)` takes the arrays (numpy arrays or Data), what else the kernel
takes, and options of the task: priority (int), name (str), after (futures), devices ('cores', 'gpus', a device's name, or
a worker's number), nested (True: the task consists of what its kernel submits, and the kernel may wait for it), weak
([('rw', a), ('read', b)]: data that only these tasks use), deadline (seconds from now, or a timedelta: a task that has
not begun by then is cancelled, and a kernel that runs may ask troupe.cancelled()), stop (a StopToken). Arrays are passed by position. A keyword that the kernel names is the kernel's; then come the options;
what else there is goes to a kernel that takes any (`**rest`). Returns a Future.)");
  codelet_type = reinterpret_cast<PyTypeObject*>(type.ptr());
  type.def_property_readonly(
          "name", [](const CodeletObject& self) { return self.name(); }, "For reports, traces and messages.")
      .def_property_readonly(
          "function", [](const CodeletObject& self) { return self.function ? self.function : py::none(); },
          "The kernel in Python, to call it as it is; None for others.")
      .def_property_readonly(
          "modes",
          [](const CodeletObject& self) {
            py::list words;
            for (std::size_t i = 0; i < self.modes.size(); ++i) {
              const bool repeated = self.repeats && i + 1 == self.modes.size();
              words.append((repeated ? "*" : "") + std::string(to_string(self.modes[i])));
            }
            return py::tuple(words);
          },
          "What it does to its arrays, in order; one that begins with '*' is that of all further ones.")
      .def("__repr__", [](const CodeletObject& self) { return "<troupe.Codelet " + self.name() + ">"; });
  module.def("_python_codelet",
             [](py::object function, std::string name, const std::vector<std::string>& modes,
                std::vector<std::string> arrays, const std::vector<std::tuple<std::string, bool, bool, bool>>& further,
                bool more_by_position, bool more_by_name) {
               PythonSignature signature{std::move(arrays), {}, more_by_position, more_by_name};
               for (const auto& [parameter, by_position, by_name, required] : further) {
                 signature.further.push_back({parameter, by_position, by_name, required});
               }
               return make_python_codelet(std::move(function), std::move(name), modes, std::move(signature));
             });
  module.def("_c_codelet", &make_c_codelet);
  module.def(
      "cancelled", &RuntimeState::KernelScope::cancelled,
      "In a kernel in Python, in the thread that called it: True once its task was cancelled, its deadline has passed, "
      "or its StopToken was told to stop. A kernel that runs "
      "for long asks now and then, and returns early: the task then ends as cancelled, and what it writes has no "
      "valid content. A kernel that never asks ends as if nobody had cancelled it. False outside of kernels.");
  py::dict all;
  add_built_in<float>(all);
  add_built_in<double>(all);
  module.attr("kernels") = all;
}

}  // namespace troupe::python
