/// Reports of a runtime's work, and of the reasons why its tasks do not make progress.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "proto/json/json.hpp"
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

}  // namespace

py::object explained(const char* type, const std::string& json, const std::string& text) {
  return py::module_::import("troupe.reports").attr(type)(py::module_::import("json").attr("loads")(json), text);
}

py::dict report_as_dict(const RunReport& report) {
  py::dict result;
  result["submitted"] = report.submitted;
  result["ended"] = report.ended;
  py::list workers;
  for (const WorkerReport& worker : report.workers) workers.append(worker_dict(worker));
  result["workers"] = workers;
  if (report.virtual_time) result["virtual_time_s"] = seconds(*report.virtual_time);
  Json transfers;
  traces::add_transfers_json(report, transfers);
  if (!transfers.is_null()) result["transfers"] = py::module_::import("json").attr("loads")(transfers.dump());
  return result;
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
