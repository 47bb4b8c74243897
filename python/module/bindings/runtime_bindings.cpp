/// `troupe.Runtime`.
#include <fmt/format.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "python/module/bindings/bindings.hpp"
#include "python/module/errors.hpp"
#include "python/module/future_object.hpp"
#include "python/module/kernels/codelet_object.hpp"
#include "python/module/objects.hpp"
#include "python/module/runtime_settings.hpp"
#include "python/module/runtime_state.hpp"
#include "python/module/values.hpp"
#include "troupe/runtime.hpp"

namespace troupe::python {

namespace py = pybind11;

namespace {

PyTypeObject* runtime_type = nullptr;

/// An open `with` block.
struct Entered {
  std::shared_ptr<RuntimeState> runtime;
  unsigned long thread;
};

/// All open `with` blocks, the innermost last. Never destroyed.
std::vector<Entered>& entered() {
  static auto* const all = new std::vector<Entered>;
  return *all;
}

RuntimeObject& object_in(py::handle object) {
  if (PyType_IsSubtype(Py_TYPE(object.ptr()), runtime_type) == 0) {
    throw py::type_error("a troupe.Runtime is needed, not " + std::string(py::repr(object)));
  }
  return *static_cast<RuntimeObject*>(
      reinterpret_cast<py::detail::instance*>(object.ptr())->get_value_and_holder().value_ptr());
}

/// Implements `rt.submit(kernel, a, b, 3.0, priority=1)`.
PyObject* submit(PyObject* self, PyObject* const* arguments, Py_ssize_t count, PyObject* names) {
  return guarded([&] {
    CodeletObject* const codelet = count > 0 ? codelet_in(arguments[0]) : nullptr;
    if (codelet == nullptr) {
      throw py::type_error(
          "submit takes a codelet first, then its arrays and arguments: decorate the function with @troupe.codelet");
    }
    py::object keywords;
    if (names != nullptr && PyTuple_GET_SIZE(names) > 0) {
      keywords = py::dict();
      for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names); ++i)
        keywords[PyTuple_GET_ITEM(names, i)] = arguments[count + i];
    }
    return submit_call(*codelet, arguments + 1, static_cast<std::size_t>(count - 1), keywords.ptr(), &runtime_in(self));
  });
}

PyMethodDef submit_definition{
    "submit", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&submit)), METH_FASTCALL | METH_KEYWORDS,
    "submit(kernel, *arguments, priority=0, name=None, after=None, devices=None, nested=False, weak=None, "
    "deadline=None, stop=None)\n--\n\n"
    "Submits a task to this runtime, as calling the kernel does inside of its 'with' block. Returns a Future."};

void exit_runtime(RuntimeObject& self, const py::object& type, const py::object& /*value*/,
                  const py::object& /*trace*/) {
  auto& all = entered();
  const auto leave = [&](bool any_thread) {
    const auto found = std::ranges::find_if(all.rbegin(), all.rend(), [&](const Entered& block) {
      return block.runtime == self.state && (any_thread || block.thread == PyThread_get_thread_ident());
    });
    if (found == all.rend()) return false;
    all.erase(std::next(found).base());
    return true;
  };
  if (!leave(false)) leave(true);
  // If the block ended with an exception, cancel the tasks that have not begun.
  self.state->leave_block(!type.is_none());
}

std::shared_ptr<ArrayData> data(RuntimeObject& self, py::handle array, const std::string& name,
                                const py::object& reduction) {
  auto data = self.state->add(array_of(array), name);
  if (!reduction.is_none()) py::cast(data).attr("set_reduction")(reduction);
  return data;
}

std::shared_ptr<ArrayData> allocate(RuntimeObject& self, const py::object& shape, const py::object& dtype,
                                    const std::string& order, const std::string& name) {
  if (order != "C" && order != "F") throw py::value_error("order is 'C' or 'F', not '" + order + "'");
  const auto type = py::dtype::from_args(dtype);
  std::vector<py::ssize_t> extents;
  const auto shown = [&](const auto& convert) { return named("shape", "int or several of them", shape, convert); };
  const py::object whole = PyIndex_Check(shape.ptr()) != 0 ? py::object(py::make_tuple(shape)) : shape;
  std::uint64_t bytes = static_cast<std::uint64_t>(type.itemsize());
  shown([&] {
    if (!py::isinstance<py::iterable>(whole)) wrong_type();
  });
  for (const py::handle extent : whole) {
    const auto count = shown([&] { return integer<py::ssize_t>(extent); });
    if (count < 0) throw py::value_error("negative dimensions are not allowed");
    if (count > 0 && bytes > (std::uint64_t{1} << 62U) / static_cast<std::uint64_t>(count)) {
      raise(ErrorCode::out_of_memory, "an array of shape " + std::string(py::str(shape)) + " does not fit into memory");
    }
    bytes *= static_cast<std::uint64_t>(count);
    extents.push_back(count);
  }
  [[maybe_unused]] const Element usable = element_of(type);
  const auto runtime = self.state->runtime();
  auto owner = std::make_unique<client::Memory>(runtime->allocate_bytes({bytes}));
  void* const memory = owner->data.get();
  const py::capsule base(owner.release(), [](void* pointer) { delete static_cast<client::Memory*>(pointer); });
  std::vector<py::ssize_t> strides(extents.size());
  py::ssize_t next = type.itemsize();
  for (std::size_t i = 0; i < extents.size(); ++i) {
    const std::size_t axis = order == "C" ? extents.size() - 1 - i : i;
    strides[axis] = next;
    next *= std::max<py::ssize_t>(extents[axis], 1);
  }
  return self.state->add(py::array(type, extents, strides, memory, base), name);
}

py::dict progress(const RuntimeObject& self) {
  const Progress now = self.state->runtime()->progress();
  py::dict result;
  result["submitted"] = now.submitted;
  result["ended"] = now.ended;
  return result;
}

}  // namespace

RuntimeObject::~RuntimeObject() {
  if (!state->open() || state->abandoned() || RuntimeState::in_kernel() != nullptr) return;
  const py::error_scope kept;
  try {
    state->close(false);
  } catch (py::error_already_set& error) {
    error.discard_as_unraisable("the end of a Troupe runtime that was not closed");
  } catch (const std::exception&) {
    // The failure is dropped, because the program has not asked for the outcome.
  }
}

RuntimeState& runtime_in(py::handle object) { return *object_in(object).state; }

std::shared_ptr<RuntimeState> current_runtime() {
  const auto& all = entered();
  const auto mine = std::ranges::find(all.rbegin(), all.rend(), PyThread_get_thread_ident(), &Entered::thread);
  if (mine != all.rend()) return mine->runtime;
  std::shared_ptr<RuntimeState> only;
  for (const Entered& block : all) {
    if (only != nullptr && only != block.runtime) {
      raise(
          ErrorCode::invalid_argument,
          "this thread is in no 'with' block of a runtime, and other threads are in those of several: say which one is "
          "meant, by runtime.submit(kernel, ...) or a 'with' block of this thread's own");
    }
    only = block.runtime;
  }
  return only;
}

void bind_runtime(py::module_& module) {
  static const std::string documentation =
      "Runs tasks on the cores and accelerators of this machine.\n\n"
      "    with troupe.Runtime() as rt:\n        kernel(a, b)\n\n"
      "Tasks run in parallel, ordered as a sequential program by the data that they use. The end of the 'with' block "
      "waits "
      "for all of them and raises what failed; after an exception in the block, tasks that have not begun are "
      "cancelled.\n\nOptions, all of them keywords:\n\n" +
      settings_text();
  py::class_<RuntimeObject> type(module, "Runtime", documentation.c_str());
  runtime_type = reinterpret_cast<PyTypeObject*>(type.ptr());
  type.def(py::init([](const py::args& others, const py::kwargs& keywords) {
        if (!others.empty()) throw py::type_error("the options of a Runtime have names, as in troupe.Runtime(cores=2)");
        return std::make_unique<RuntimeObject>(RuntimeState::start(settings_of(keywords)));
      }))
      .def("__enter__",
           [](const py::object& self) {
             RuntimeState& state = runtime_in(self);
             [[maybe_unused]] const auto open = state.runtime();
             entered().push_back({state.shared_from_this(), PyThread_get_thread_ident()});
             state.enter_block();
             return self;
           })
      .def("__exit__", &exit_runtime)
      .def("data", &data, py::arg("array"), py::arg("name") = "", py::arg("reduction") = py::none(),
           R"(Registers an array, without a copy: numpy's, or what else has the buffer protocol.

Arrays of two and three dimensions may be in C or Fortran order, and have gaps between rows, columns or planes; other
arrays are contiguous, or one row or column of a matrix. All dtypes but object. `name` is for messages and traces; `reduction`: see
Data.set_reduction. Raises ValueError for arrays that share memory with others that are registered.)")
      .def(
          "allocate", &allocate, py::arg("shape"), py::arg("dtype") = py::str("float64"), py::arg("order") = "C",
          py::arg("name") = "",
          R"(Data in memory of the runtime's own, aligned and pinned for GPUs, uninitialized as numpy.empty's: the first task
writes it, or the program writes `.array` before. The runtime cannot see the latter: nothing is said where neither did.)")
      .def(
          "wait", [](RuntimeObject& self) { self.state->wait(); },
          R"(Waits for all tasks, and raises what has failed since the last wait, with the exception of a kernel in Python as its
`__cause__`. The runtime stays usable. In the kernel of a nested task, and in a function of `call`: waits for what this
kernel or function has submitted to belong to its task.)")
      .def(
          "close", [](RuntimeObject& self, bool cancel) { self.state->close(cancel); }, py::arg("cancel") = false,
          "Waits for all tasks and ends the runtime, as the end of a 'with' block does.")
      .def(
          "cancel", [](RuntimeObject& self) { self.state->runtime()->cancel(); },
          "Cancels all tasks submitted so far that have not begun; wait reports them.")
      .def(
          "regroup", [](RuntimeObject& self, const std::string& clusters) { self.state->runtime()->regroup(clusters); },
          py::arg("clusters"), "Makes other clusters of the cores: '2x10', 'single' ... Needs Runtime(regroup=True).")
      .def_property_readonly(
          "workers", [](const RuntimeObject& self) { return self.state->runtime()->workers(); },
          "How many workers there are.")
      .def_property_readonly(
          "policy", [](const RuntimeObject& self) { return self.state->runtime()->policy(); },
          "Where tasks run, by name.")
      .def_property_readonly(
          "closed", [](const RuntimeObject& self) { return !self.state->open(); }, "Whether it has ended.")
      .def("progress", &progress, "How many tasks were submitted and have ended so far.")
      .def("__repr__", [](const RuntimeObject& self) {
        if (!self.state->open()) return std::string("<troupe.Runtime, closed>");
        const auto runtime = self.state->runtime();
        return fmt::format("<troupe.Runtime, {} worker{}, policy {}>", runtime->workers(),
                           runtime->workers() == 1 ? "" : "s", runtime->policy());
      });
  const auto method = py::reinterpret_steal<py::object>(PyDescr_NewMethod(runtime_type, &submit_definition));
  if (!method) throw py::error_already_set();
  type.attr("submit") = method;
  module.def("_end_all", [] { RuntimeState::close_all(); });
  module.def("_stop_others", [] {
    stop_others();
    collect_disposed();
  });
  module.attr("_runtime_options") = py::tuple(py::cast(setting_names()));
}

}  // namespace troupe::python
