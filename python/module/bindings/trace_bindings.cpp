/// `troupe.Trace`, a record of the tasks that each worker ran and of their times, and `Runtime.take_trace`.
#include <fmt/format.h>
#include <pybind11/pybind11.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "python/module/bindings/bindings.hpp"
#include "python/module/bindings/trace_object.hpp"
#include "python/module/errors.hpp"
#include "python/module/gil.hpp"
#include "python/module/objects.hpp"
#include "python/module/values.hpp"
#include "traces/analysis/trace_index.hpp"
#include "traces/text/analysis_json.hpp"
#include "traces/traces.hpp"
#include "troupe/runtime.hpp"

namespace troupe::python {

namespace py = pybind11;

namespace {

std::string path_of(const py::object& where) {
  return named("path", "str or a path object", where, [&] { return path(where); });
}

void require_something(const TraceObject& self) {
  if (!self.trace.events.empty() || !self.trace.states.empty()) return;
  raise(ErrorCode::invalid_argument,
        "nothing was traced: start the runtime with Runtime(trace=True), and run tasks since the last trace");
}

traces::TraceDescription description_of(const TraceObject& self) {
  traces::TraceDescription description = traces::describe(self.title, self.trace, self.report);
  // Virtual time begins at zero, with the run.
  if (self.report.virtual_time) description.begin = TimeStamp{};
  return description;
}

py::list tasks_of(const TraceObject& self) {
  const TimeStamp begin = description_of(self).begin;
  py::list list;
  for (const TraceEvent& event : self.trace.events) {
    list.append(py::make_tuple(self.trace.codelet_of(event), self.trace.name_of(event), event.worker.value(),
                               seconds(event.start - begin), seconds(event.end - begin)));
  }
  return list;
}

py::list parents_of(const TraceObject& self) {
  const traces::TraceIndex index(self.trace);
  py::list list;
  for (const TraceEvent& event : self.trace.events) {
    const auto parent = event.nesting.parent.valid() ? index.find(event.nesting.parent) : std::nullopt;
    list.append(parent ? py::object(py::int_(*parent)) : py::object(py::none()));
  }
  return list;
}

py::list workers_of(const TraceObject& self) {
  py::list list;
  for (const std::string& device : description_of(self).workers) list.append(device);
  return list;
}

py::object analyse_trace(const TraceObject& self) {
  require_something(self);
  const auto devices = description_of(self).workers;
  const traces::RunAnalysis analysis = traces::analyse(self.trace, devices.size());
  return explained("Analysis", traces::analysis_json(analysis).dump(), traces::analysis_text(analysis, devices));
}

void write(const TraceObject& self, const py::object& where) {
  const std::string path = path_of(where);
  require_something(self);
  const WithoutGil others;
  traces::check_trace_path(path).value_or_throw();
  traces::write_trace(path, self.trace, description_of(self)).value_or_throw();
}

py::tuple draw(const TraceObject& self, const py::object& where) {
  const std::string path = path_of(where);
  require_something(self);
  traces::PictureFiles files;
  {
    const WithoutGil others;
    files = traces::draw_picture(path, traces::picture_of(self.trace, description_of(self))).value_or_throw();
  }
  return py::make_tuple(files.svg, files.png);
}

std::unique_ptr<TraceObject> take_trace(const py::object& self, const std::string& title) {
  const auto runtime = runtime_in(self).runtime();
  const WithoutGil others;
  auto object = std::make_unique<TraceObject>();
  object->trace = runtime->take_trace();
  object->report = runtime->report();
  object->title = title;
  return object;
}

}  // namespace

void bind_traces(py::module_& module) {
  py::class_<TraceObject>(module, "Trace", "Who ran what when: of a runtime (Runtime.take_trace), or in virtual time.")
      .def_property_readonly(
          "tasks", &tasks_of,
          "A tuple (codelet, name, worker, start, end) for each task, by start, in seconds from the beginning.")
      .def_property_readonly(
          "parents", &parents_of,
          "For each of `tasks`, the place in `tasks` of the nested task that it belongs to; None for "
          "tasks of the program, and where the nested task is not in the trace.")
      .def_property_readonly("workers", &workers_of, "The workers' devices, by the numbers that tasks have.")
      .def("__len__", [](const TraceObject& self) { return self.trace.events.size(); })
      .def("analysis", &analyse_trace,
           "Where the time went, per worker and codelet and along the critical path: a dictionary; print it for words.")
      .def("write", &write, py::arg("path"), "Writes a file: `.json` for Perfetto and Chrome, `.paje` for ViTE.")
      .def("draw", &draw, py::arg("path"),
           "Draws it by gnuplot: `path` ends in `.svg` or `.png`. Returns the paths of both pictures.")
      .def("__repr__", [](const TraceObject& self) {
        return fmt::format("<troupe.Trace of {} tasks on {} workers>", self.trace.events.size(),
                           self.report.workers.size());
      });
  const py::object type = module.attr("Runtime");
  type.attr("take_trace") = py::cpp_function(&take_trace, py::name("take_trace"), py::is_method(type),
                                             "What has been executed since the last call, as a Trace; empty without "
                                             "Runtime(trace=True). A service gives none.",
                                             py::arg("title") = "Python");
}

}  // namespace troupe::python
