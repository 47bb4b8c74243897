/// Reports of a runtime's work, and of the reasons why its tasks do not make progress.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <utility>

#include "actors/observation/report_members.hpp"
#include "python/module/bindings/bindings.hpp"
#include "python/module/bindings/trace_object.hpp"
#include "python/module/objects.hpp"
#include "python/module/runtime_state.hpp"
#include "traces/text/transfer_summary.hpp"

namespace troupe::python {

namespace py = pybind11;

namespace {

py::object why(const RuntimeObject& self) {
  const auto runtime = self.state->runtime();
  WhyReport report;
  {
    const WithoutGil without;
    report = runtime->why();
  }
  return explained("Why", report.to_json(), report.to_text());
}

py::object from_json(const Json& json) { return py::module_::import("json").attr("loads")(json.dump()); }

py::object metrics(const RuntimeObject& self) { return from_json(as_json(self.state->runtime()->metrics().mailboxes)); }

py::dict report(const RuntimeObject& self) { return report_as_dict(self.state->runtime()->report()); }

}  // namespace

py::object explained(const char* type, const std::string& json, const std::string& text) {
  return py::module_::import("troupe.reports").attr(type)(py::module_::import("json").attr("loads")(json), text);
}

py::dict report_as_dict(const RunReport& report) {
  Json json{{"submitted", report.submitted}, {"ended", report.ended}, {"workers", as_json(report.workers)}};
  if (report.virtual_time) json["virtual_time_seconds"] = seconds(*report.virtual_time);
  Json transfers;
  traces::add_transfers_json(report, transfers);
  json["transfers"] = std::move(transfers);
  return from_json(json);
}

void bind_reports(py::module_& module) {
  const py::object type = module.attr("Runtime");
  const auto add = [&](const char* name, const auto& function, const char* text) {
    type.attr(name) = py::cpp_function(function, py::name(name), py::is_method(type), text);
  };
  add("why", &why, "Why tasks do not go on: what waits for what, root causes first. A dictionary; print it for words.");
  add("metrics", &metrics, "The figures of every actor's mailbox: messages, depth, waiting and handling times.");
  add("report", &report, "What the workers have done so far, as a dictionary; times in seconds.");
}

}  // namespace troupe::python
