/// What a runtime did, and why its tasks do not go on.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "actors/reporting/run_analysis.hpp"
#include "python/module/bindings/bindings.hpp"
#include "python/module/bindings/trace_object.hpp"
#include "python/module/errors.hpp"
#include "python/module/objects.hpp"
#include "python/module/runtime_state.hpp"
#include "traces/files/trace_file.hpp"
#include "traces/text/analysis_json.hpp"
#include "traces/text/analysis_report.hpp"
#include "traces/text/transfer_summary.hpp"

#include <nlohmann/json.hpp>

namespace troupe::python {

namespace py = pybind11;

namespace {

/// With the reason in words, for `print`.
py::object explained(const char* type, const std::string& json, const std::string& text) {
  return py::module_::import("troupe.reports").attr(type)(py::module_::import("json").attr("loads")(json), text);
}

py::object why(const RuntimeObject& self) {
  const auto runtime = self.state->runtime();
  WhyReport report;
  {
    const WithoutGil without;
    report = runtime->why();
  }
  return explained("Why", report.to_json(), report.to_text());
}

py::dict latency(const LatencySummary& summary) {
  py::dict result;
  result["count"] = summary.count;
  result["mean_s"] = seconds(summary.mean);
  result["p50_s"] = seconds(summary.p50);
  result["p90_s"] = seconds(summary.p90);
  result["p99_s"] = seconds(summary.p99);
  result["max_s"] = seconds(summary.max);
  return result;
}

py::list metrics(const RuntimeObject& self) {
  const auto runtime = self.state->runtime();
  py::list result;
  for (const MailboxMetrics& mailbox : runtime->metrics().mailboxes) {
    py::dict entry;
    entry["actor"] = mailbox.actor;
    entry["received"] = mailbox.received;
    entry["processed"] = mailbox.processed;
    entry["dropped"] = mailbox.dropped;
    entry["depth"] = mailbox.depth;
    entry["peak_depth"] = mailbox.peak_depth;
    entry["answered_at_delivery"] = mailbox.answered_at_delivery;
    entry["waiting"] = latency(mailbox.waiting);
    entry["handling"] = latency(mailbox.handling);
    result.append(entry);
  }
  return result;
}

py::dict worker_dict(const WorkerReport& worker) {
  py::dict entry;
  entry["worker"] = worker.worker.value();
  entry["device"] = worker.device;
  entry["cores"] = worker.cores;
  entry["tasks"] = worker.tasks;
  entry["steals"] = worker.steals;
  entry["stolen_tasks"] = worker.stolen_tasks;
  entry["failed_steals"] = worker.failed_steals;
  entry["pieces"] = worker.pieces;
  entry["parks"] = worker.parks;
  entry["busy_s"] = seconds(worker.busy);
  entry["searching_s"] = seconds(worker.searching);
  entry["waiting_for_data_s"] = seconds(worker.waiting_for_data);
  return entry;
}

py::dict report(const RuntimeObject& self) { return report_as_dict(self.state->runtime()->report()); }

/// What was recorded since the last call, with what describes it.
struct TakenTrace {
  Trace trace;
  traces::TraceDescription description;
};

TakenTrace take(const RuntimeObject& self, const std::string& title) {
  const auto runtime = self.state->runtime();
  const WithoutGil without;
  Trace trace = runtime->take_trace();
  auto description = traces::describe(title, trace, runtime->report());
  return {std::move(trace), std::move(description)};
}

void require_trace(const TakenTrace& taken) {
  if (!taken.trace.events.empty() || !taken.trace.states.empty()) return;
  raise(ErrorCode::invalid_argument,
        "nothing was traced: start the runtime with Runtime(trace=True), and run tasks since the last trace");
}

void write_trace(const RuntimeObject& self, const py::object& path, const std::string& title) {
  const std::string file = py::str(py::module_::import("os").attr("fspath")(path));
  traces::check_trace_path(file).value_or_throw();
  TakenTrace taken = take(self, title);
  require_trace(taken);
  const WithoutGil without;
  traces::write_trace(file, std::move(taken.trace), taken.description).value_or_throw();
}

py::object analysis(const RuntimeObject& self) {
  const TakenTrace taken = take(self, "");
  require_trace(taken);
  const auto& devices = taken.description.workers;
  const actors::RunAnalysis made = actors::analyse(taken.trace, devices.size());
  return explained("Analysis", traces::analysis_json(made).dump(), traces::analysis_text(made, devices));
}

}  // namespace

py::dict report_as_dict(const RunReport& report) {
  py::dict result;
  result["submitted"] = report.submitted;
  result["ended"] = report.ended;
  py::list workers;
  for (const WorkerReport& worker : report.workers) workers.append(worker_dict(worker));
  result["workers"] = workers;
  if (report.virtual_time) result["virtual_time_s"] = seconds(*report.virtual_time);
  nlohmann::json transfers;
  traces::add_transfers_json(report, transfers);
  if (!transfers.is_null()) result["transfers"] = py::module_::import("json").attr("loads")(transfers.dump());
  return result;
}

void bind_reports(py::module_& module) {
  const py::object type = module.attr("Runtime");
  const auto add = [&](const char* name, const auto& function, const char* text, const auto&... extra) {
    type.attr(name) = py::cpp_function(function, py::name(name), py::is_method(type), text, extra...);
  };
  add("why", &why, "Why tasks do not go on: what waits for what, root causes first. A dictionary; print it for words.");
  add("metrics", &metrics, "The figures of every actor's mailbox: messages, depth, waiting and handling times.");
  add("report", &report, "What the workers have done so far, as a dictionary; times in seconds.");
  add("write_trace", &write_trace,
      "Writes what ran since the last trace: PATH.json for Perfetto and Chrome, PATH.paje for ViTE. Needs "
      "Runtime(trace=True).",
      py::arg("path"), py::arg("title") = "Python");
  add("analysis", &analysis,
      "Where the time went since the last trace: a dictionary; print it for words. Needs Runtime(trace=True).");
}

}  // namespace troupe::python
