/// Recordings: task graphs that run many times.
#include <fmt/format.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "python/module/bindings/bindings.hpp"
#include "python/module/errors.hpp"
#include "python/module/future_object.hpp"
#include "python/module/objects.hpp"
#include "python/module/runtime_state.hpp"

namespace troupe::python {

namespace py = pybind11;

namespace {

/// The object behind a `troupe.Recording`.
struct RecordingObject {
  std::shared_ptr<RuntimeState> runtime;
  std::string name;
  RuntimeState::Recorded recorded = {};

  RecordingObject(std::shared_ptr<RuntimeState> of, std::string called)
      : runtime(std::move(of)), name(std::move(called)) {}

  void end() { recorded = runtime->end_recording(); }
  void require_ended() const {
    if (recorded.tasks == nullptr) {
      raise(ErrorCode::invalid_argument, "the recording has not ended: run it after its 'with' block");
    }
  }
};

/// Returns the recording behind a `troupe.Recording` if only this object refers to its tasks; otherwise null. While a
/// run is under way, the run refers to them, too.
RecordingObject* idle_recording(PyObject* self) {
  auto held = reinterpret_cast<py::detail::instance*>(self)->get_value_and_holder();
  auto* const recording = static_cast<RecordingObject*>(held.value_ptr());
  return recording != nullptr && recording->recorded.cells.use_count() == 1 ? recording : nullptr;
}

/// Visits the arrays to which only the tasks of this recording refer.
int traverse_arrays(const std::vector<CellReference>& tasks, visitproc visit, void* arg) {
  std::unordered_map<const ArrayData*, long> uses;
  std::vector<const std::shared_ptr<ArrayData>*> all;
  const auto look = [&](const std::shared_ptr<ArrayData>& data) {
    if (data != nullptr && data->may_be_in_cycles() && ++uses[data.get()] == 1) all.push_back(&data);
  };
  for (const CellReference& task : tasks) {
    for (const TaskCell::Parameter& parameter : task->parameters) look(parameter.data);
    for (const std::shared_ptr<ArrayData>& data : task->weak) look(data);
  }
  for (const std::shared_ptr<ArrayData>* const data : all) {
    if (data->use_count() != uses.at(data->get())) continue;
    if (const int stopped = (*data)->traverse(visit, arg)) return stopped;
  }
  return 0;
}

/// Reports references to the garbage collector. This is needed because there are cycles: a recorded kernel may refer to
/// its recording.
int traverse_recording(PyObject* self, visitproc visit, void* arg) {
#if PY_VERSION_HEX >= 0x03090000
  Py_VISIT(Py_TYPE(self));
#endif
  const RecordingObject* const recording = idle_recording(self);
  if (recording == nullptr) return 0;
  const std::vector<CellReference>& tasks = *recording->recorded.cells;
  for (const CellReference& task : tasks) {
    if (task->references.load(std::memory_order_acquire) != 1) return 0;
  }
  for (const CellReference& task : tasks) {
    Py_VISIT(task->function);
    Py_VISIT(task->further);
    Py_VISIT(task->keywords);
    Py_VISIT(task->exception.load());
  }
  return traverse_arrays(tasks, visit, arg);
}

int clear_recording(PyObject* self) {
  RecordingObject* const recording = idle_recording(self);
  if (recording == nullptr) return 0;
  // The tasks are moved first, because dropping them may run code of the program that looks at the recording.
  [[maybe_unused]] const RuntimeState::Recorded dropped = std::exchange(recording->recorded, {});
  return 0;
}

void set_up_recording_type(PyHeapTypeObject* heap_type) {
  PyTypeObject* const type = &heap_type->ht_type;
  type->tp_flags |= Py_TPFLAGS_HAVE_GC;
  type->tp_traverse = &traverse_recording;
  type->tp_clear = &clear_recording;
}

std::unique_ptr<RecordingObject> record(const RuntimeObject& self, const py::object& function,
                                        const std::string& name) {
  auto recording = std::make_unique<RecordingObject>(self.state, name);
  if (function.is_none()) return recording;
  if (PyCallable_Check(function.ptr()) == 0) {
    throw py::type_error("record takes the function whose tasks are recorded, or none before a 'with' block, not " +
                         std::string(py::repr(function)) + ": a name is given by name=");
  }
  recording->recorded = self.state->record([&function] { function(); }, name);
  return recording;
}

std::shared_ptr<ArrayData> data_of(RuntimeState& runtime, py::handle object) {
  const auto* const held = shared_data_in(object);
  auto data = held != nullptr ? *held : runtime.find_or_add(object);
  data->require_unchanged(data->description());
  return data;
}

/// Throws if no task of the recording uses the data. Tasks that use parts of the data do not count.
void require_use(const RuntimeState::Recorded& recording, const ArrayData& data) {
  if (std::ranges::find(recording.data, &data) != recording.data.end()) return;
  raise(ErrorCode::invalid_argument, data.description() +
                                         " is to be exchanged, but no task of the recording uses it (or only through "
                                         "its parts)");
}

/// Throws if the memory of an array has moved since the recording, unless the run uses another array in its place.
void require_memory(const RuntimeState::Recorded& recording, std::span<const Rebinding> rebindings) {
  for (const ArrayData* const data : recording.data) {
    if (!data->moved()) continue;
    const auto is_this = [data](const Rebinding& exchanged) { return exchanged.recorded.id() == data->handle().id(); };
    if (std::ranges::none_of(rebindings, is_this)) {
      data->require_unchanged("a recording is run that uses " + data->description());
    }
  }
}

py::object run(RecordingObject& self, const py::object& rebind) {
  self.require_ended();
  const auto keep = self.runtime->runtime();
  std::vector<Rebinding> rebindings;
  std::vector<std::shared_ptr<ArrayData>> all_now;
  if (!rebind.is_none()) {
    // The argument is a dictionary, or a list of pairs.
    const py::object pairs = py::isinstance<py::dict>(rebind) ? py::object(rebind.attr("items")()) : rebind;
    if (!py::isinstance<py::iterable>(pairs)) throw py::type_error("rebind is a dictionary, or pairs: (recorded, now)");
    for (const py::handle entry : pairs) {
      const auto pair = py::reinterpret_borrow<py::object>(entry).cast<py::tuple>();
      if (pair.size() != 2) throw py::type_error("rebind is a dictionary, or pairs: (recorded, now)");
      const auto recorded = data_of(*self.runtime, pair[0]);
      const auto now = data_of(*self.runtime, pair[1]);
      if (recorded->form().shape != now->form().shape || recorded->form().order != now->form().order ||
          recorded->form().layout.element_tag != now->form().layout.element_tag) {
        raise(ErrorCode::invalid_argument,
              fmt::format("{} cannot stand for {}: shape, order and dtype must be the same", now->description(),
                          recorded->description()));
      }
      if (!now->writable() && self.recorded.written.contains(recorded->handle().id().value())) {
        raise(ErrorCode::invalid_argument,
              fmt::format("{} cannot stand for {}: it is read-only, and the recording writes it", now->description(),
                          recorded->description()));
      }
      require_use(self.recorded, *recorded);
      rebindings.push_back({recorded->handle(), now->handle()});
      all_now.push_back(now);
    }
  }
  require_memory(self.recorded, rebindings);
  RuntimeState::Run run = self.runtime->run(self.recorded, rebindings, all_now);
  return make_future(self.runtime, run.future, std::move(run.cell));
}

}  // namespace

void bind_recordings(py::module_& module) {
  py::class_<RecordingObject>(module, "Recording", py::custom_type_setup(&set_up_recording_type),
                              R"(A task graph that runs many times, without inferring its order again.

    with rt.record() as graph:
        kernel(a, b)
    for _ in range(100):
        graph.run()
    rt.wait()

Arrays and further arguments are those of the recording. Runs of one recording follow one another.)")
      .def("__enter__",
           [](const py::object& self) {
             auto& recording = self.cast<RecordingObject&>();
             recording.runtime->begin_recording(recording.name);
             return self;
           })
      .def("__exit__", [](RecordingObject& self, const py::args&) { self.end(); })
      .def(
          "run", &run, py::arg("rebind") = py::none(),
          R"(Submits one run and returns a Future of it. `rebind`: other data of the same shape, order and dtype for this run, as
pairs (recorded, now) or a dictionary of Data.)")
      .def_property_readonly(
          "tasks",
          [](const RecordingObject& self) {
            self.require_ended();
            return self.recorded.tasks->size();
          },
          "Tasks of one run.");
  py::object(module.attr("Runtime")).attr("record") = py::cpp_function(
      &record, py::name("record"), py::is_method(module.attr("Runtime")), py::arg("function") = py::none(),
      py::arg("name") = "",
      R"(Records what `function()` submits, or the body of a 'with' block, instead of running it. Returns a Recording.)");
}

}  // namespace troupe::python
