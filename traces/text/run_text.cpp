#include "traces/text/run_text.hpp"

#include <fmt/format.h>

#include <vector>

#include "traces/text/analysis_report.hpp"
#include "traces/text/human.hpp"
#include "traces/text/table.hpp"
#include "traces/text/transfer_summary.hpp"

namespace troupe::traces {

std::string run_text(const RunReport& report) {
  Table table({"worker", "device", ">tasks", ">busy", ">waiting for data", ">looking for work", ">steals"});
  for (const WorkerReport& worker : report.workers) {
    // For a program on a service, the report has one row: the work that all workers of the service did for this
    // program.
    table.add_row({worker.worker.valid() ? std::to_string(worker.worker.value()) : "all", worker.device,
                   human_count(worker.counts.tasks), human_seconds(seconds(worker.time.busy)),
                   human_seconds(seconds(worker.time.waiting_for_data)), human_seconds(seconds(worker.time.searching)),
                   human_count(worker.counts.steals)});
  }
  std::string text = fmt::format("\n{} of {} tasks have ended\n\n{}", human_count(report.ended),
                                 human_count(report.submitted), table.text(2));
  if (const std::string transfers = transfers_text(report); !transfers.empty()) text += "\n" + transfers;
  return text;
}

std::string run_text(const RunReport& report, const Trace& trace) {
  std::string text = run_text(report);
  if (trace.events.empty()) return text;
  std::vector<std::string> devices;
  for (const WorkerReport& worker : report.workers) devices.push_back(worker.device);
  text += "\n" + analysis_text(analyse(trace, devices.size()), devices);
  if (trace.dropped > 0) {
    text += fmt::format("\nThe trace is not complete: there was no room for {} of its entries\n",
                        human_count(trace.dropped));
  }
  return text;
}

}  // namespace troupe::traces
