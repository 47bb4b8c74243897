#include "apps/run/run_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "actors/observation/report_members.hpp"
#include "actors/scheduler/policy_specification.hpp"
#include "apps/run/remarks.hpp"
#include "proto/median.hpp"
#include "traces/text/analysis_json.hpp"
#include "traces/text/human.hpp"
#include "traces/text/mailbox_table.hpp"
#include "traces/text/table.hpp"
#include "traces/text/transfer_summary.hpp"
#include "troupe/devices.hpp"

namespace troupe::apps {

namespace {

template <class Get>
double median_of(const std::vector<MeasuredRun>& runs, const Get& get) {
  std::vector<double> values;
  for (const MeasuredRun& run : runs) values.push_back(get(run));
  return median_interval(std::move(values)).median;
}

bool has_peak(const RunSummary& summary) { return !summary.runs.empty() && summary.runs.front().peak_gflops > 0; }

/// The time that a worker spent on each activity during the last run, in seconds.
struct WorkerTimes {
  double busy;
  double waiting;
  double searching;
  double idle;
};

WorkerTimes times_of(const WorkerReport& worker, double run_seconds) {
  // Counters grow only when a worker ends an activity. In a very short run, that activity may have begun before the
  // run, so the times are limited to the length of the run.
  const double busy = std::min(seconds(worker.time.busy), run_seconds);
  const double waiting = std::min(seconds(worker.time.waiting_for_data), run_seconds - busy);
  const double searching = std::min(seconds(worker.time.searching), run_seconds - busy - waiting);
  return {busy, waiting, searching, std::max(0.0, run_seconds - busy - waiting - searching)};
}

Json predictions_as_json(const std::vector<PredictionReport>& predictions) {
  Json json = Json::array();
  for (const PredictionReport& of : predictions) {
    json.push_back({{"codelet", of.codelet},
                    {"kind", to_string(of.kind)},
                    {"tasks", of.errors.tasks},
                    {"unpredicted_tasks", of.errors.unpredicted},
                    {"predicted_seconds", of.errors.mean_predicted_s()},
                    {"measured_seconds", of.errors.mean_measured_s()},
                    {"relative_error", of.errors.mean_relative()}});
  }
  return json;
}

Json to_json(const RunSummary& summary) {
  Json json{{"app", summary.application},
            {"problem", summary.problem},
            {"n", summary.n},
            {"tile", summary.tile},
            {"precision", summary.precision},
            {"policy", summary.policy},
            {"policy_options", policy_options_json(summary.policy)},
            {"cores", traces::count_cores(summary.report)},
            {"gpus", traces::count_accelerators(summary.report)},
            {"seed", summary.seed},
            {"seconds", summary.median_seconds()},
            {"gflops", summary.median_gflops()},
            {"tasks", summary.report.ended}};
  if (!summary.pivoting.empty()) json["pivoting"] = summary.pivoting;
  if (summary.sparse) add_json(*summary.sparse, json);
  for (const MeasuredRun& run : summary.runs) {
    Json one{{"seconds", run.seconds}, {"gflops", run.gflops}};
    if (run.peak_gflops > 0) one["peak_gflops"] = run.peak_gflops;
    json["runs"].push_back(std::move(one));
  }
  if (has_peak(summary)) json["fraction_of_peak"] = summary.median_fraction_of_peak();
  double worst = 0;
  for (const linalg::Residual& residual : summary.residuals) {
    json["residuals"].push_back(
        {{"formula", residual.formula}, {"value", residual.value}, {"bound", linalg::kResidualBound}});
    worst = residual.value > worst || std::isnan(residual.value) ? residual.value : worst;
  }
  if (!summary.residuals.empty()) json["residual"] = worst;
  json["workers"] = workers_as_json(summary.report, summary.runs.back().seconds);
  traces::add_transfers_json(summary.report, json);
  if (!summary.report.predictions.empty()) json["predictions"] = predictions_as_json(summary.report.predictions);
  if (summary.clusters) json["clusters"] = clusters_json(*summary.clusters);
  if (summary.metrics) json["metrics"] = traces::metrics_as_json(*summary.metrics);
  if (summary.picture) json["picture"] = {{"svg", summary.picture->svg}, {"png", summary.picture->png}};
  add_json(summary.traced, json);
  return json;
}

/// Returns true for a report from a service. Such a report has one entry for the work of all the service's workers for
/// this program.
bool is_of_service(const RunReport& report) { return report.workers.size() == 1 && !report.workers[0].worker.valid(); }

bool has_clusters(const RunReport& report) {
  return std::ranges::any_of(report.workers, [](const WorkerReport& worker) { return worker.cores > 1; });
}

/// Returns a text such as "20 workers", or "3 workers on 20 cores" if there are clusters; GPUs are not counted as
/// cores.
std::string workers_in_words(const RunReport& report) {
  std::string text = fmt::format("{} worker{}", report.workers.size(), report.workers.size() == 1 ? "" : "s");
  if (has_clusters(report)) text += fmt::format(" on {} cores", traces::count_cores(report));
  return text;
}

/// Returns a line with the used fraction of the clusters' time; empty if there are no clusters.
std::string teams_line(const RunReport& report) {
  if (!has_clusters(report)) return {};
  TeamUse use;
  for (const WorkerReport& worker : report.workers) use += worker.team;
  return fmt::format("  teams     {} of their cores' time in tasks used\n", traces::human_team_use(use));
}

void print_workers(const RunSummary& summary) {
  if (is_of_service(summary.report)) {
    fmt::print("\nThe workers of the service spent {} on the last run.\n",
               traces::human_seconds(seconds(summary.report.workers[0].time.busy)));
    return;
  }
  const double last = summary.runs.back().seconds;
  const auto percent = [last](double part) { return fmt::format("{:.1f} %", 100 * part / last); };
  // Workers wait for data only if there are accelerators.
  const bool waits = traces::count_accelerators(summary.report) > 0;
  std::vector<std::string> columns{"worker", "device", ">tasks", ">busy"};
  const bool teams = has_clusters(summary.report);
  if (teams) columns.emplace_back(">team used");
  if (waits) columns.emplace_back(">waiting for data");
  columns.insert(columns.end(), {">searching", ">idle", ">steals", ">tasks stolen"});
  traces::Table table(std::move(columns));
  for (const WorkerReport& worker : summary.report.workers) {
    const WorkerTimes times = times_of(worker, last);
    std::vector<std::string> row{fmt::to_string(worker.worker.value()), worker.device, human_count(worker.counts.tasks),
                                 percent(times.busy)};
    if (teams) row.push_back(worker.cores > 1 ? traces::human_team_use(worker.team) : "");
    if (waits) row.push_back(percent(times.waiting));
    row.insert(row.end(), {percent(times.searching), percent(times.idle), human_count(worker.counts.steals),
                           human_count(worker.counts.stolen_tasks)});
    table.add_row(std::move(row));
  }
  fmt::print("\nWhat the workers did in the last run:\n{}", table.text(2));
}

void print_predictions(const std::vector<PredictionReport>& predictions) {
  traces::Table table({"codelet", "device", ">tasks", ">predicted", ">measured", ">error"});
  std::uint64_t predicted = 0;
  std::uint64_t unpredicted = 0;
  for (const PredictionReport& of : predictions) {
    predicted += of.errors.tasks;
    unpredicted += of.errors.unpredicted;
    if (of.errors.tasks == 0) continue;
    table.add_row({of.codelet, to_string(of.kind), human_count(of.errors.tasks),
                   traces::human_seconds(of.errors.mean_predicted_s()),
                   traces::human_seconds(of.errors.mean_measured_s()),
                   fmt::format("{:.1f} %", 100 * of.errors.mean_relative())});
  }
  if (predicted > 0) {
    fmt::print("\nKernel times as predicted and measured, means of the last run:\n{}", table.text(2));
  }
  if (unpredicted > 0) {
    fmt::print("\n{} {} placed before the time of {} kernel was known, so as to find it out (docs/models.md)\n",
               human_count(unpredicted), unpredicted == 1 ? "task was" : "tasks were",
               unpredicted == 1 ? "its" : "their");
  }
}

void print_text(const RunSummary& summary) {
  const std::string where =
      is_of_service(summary.report) ? std::string("on the service") : workers_in_words(summary.report);
  fmt::print("{} of a {} matrix, {} precision, n = {}, tile {}, policy {}, {}\n", summary.method(), summary.problem,
             summary.precision, summary.n, summary.tile, summary.policy, where);
  const std::string which = summary.runs.size() > 1 ? fmt::format(" (median of {} runs)", summary.runs.size()) : "";
  fmt::print("  time      {}{}\n", traces::human_seconds(summary.median_seconds()), which);
  fmt::print("  speed     {:.4g} GFlop/s\n", summary.median_gflops());
  if (has_peak(summary)) {
    fmt::print("  of peak   {:.1f} % of {:.4g} GFlop/s (concurrent matrix products, n = 2048)\n",
               100 * summary.median_fraction_of_peak(),
               median_of(summary.runs, [](const MeasuredRun& run) { return run.peak_gflops; }));
  }
  fmt::print("  tasks     {}\n{}", human_count(summary.report.ended), teams_line(summary.report));
  if (summary.sparse) fmt::print("{}", sparse_text(*summary.sparse));
  for (const linalg::Residual& residual : summary.residuals) {
    fmt::print("  residual  {:<28} = {:.3g}  ({} the bound {})\n", residual.formula, residual.value,
               residual.accepted() ? "below" : "NOT below", linalg::kResidualBound);
  }
  if (summary.clusters) fmt::print("  clusters  {}\n", clusters_text(*summary.clusters));
  print_workers(summary);
  if (summary.clusters && summary.traced.analysis) {
    fmt::print("\nClusters that were simulated before the run:\n{}", clusters_table(*summary.clusters));
  }
  if (const std::string copies = traces::transfers_text(summary.report); !copies.empty()) fmt::print("\n{}", copies);
  if (!summary.report.predictions.empty()) print_predictions(summary.report.predictions);
  if (summary.metrics) fmt::print("{}", traces::mailbox_table(*summary.metrics));
  print_text(summary.traced);
  if (summary.picture) fmt::print("\nPicture: {} and {}\n", summary.picture->svg, summary.picture->png);
}

}  // namespace

std::string RunSummary::method() const {
  return pivoting.empty() ? application : fmt::format("{} (pivoting: {})", application, pivoting);
}

std::string RunSummary::title() const {
  return fmt::format("{}, n = {}, tile {}, {} precision", method(), n, tile, precision);
}

double RunSummary::median_seconds() const {
  return median_of(runs, [](const MeasuredRun& run) { return run.seconds; });
}

double RunSummary::median_gflops() const {
  return median_of(runs, [](const MeasuredRun& run) { return run.gflops; });
}

double RunSummary::median_fraction_of_peak() const {
  if (runs.empty() || runs.front().peak_gflops <= 0) return std::numeric_limits<double>::quiet_NaN();
  return median_of(runs, [](const MeasuredRun& run) { return run.gflops / run.peak_gflops; });
}

Json workers_as_json(const RunReport& report, double run_seconds) {
  Json workers = Json::array();
  for (const WorkerReport& worker : report.workers) {
    const WorkerTimes times = times_of(worker, run_seconds);
    Json json = as_json(worker);
    if (is_accelerator(worker.kind)) json["cores"] = 0;
    json["busy_seconds"] = times.busy;
    json["waiting_for_data_seconds"] = times.waiting;
    json["searching_seconds"] = times.searching;
    json["idle_seconds"] = times.idle;
    if (!is_accelerator(worker.kind) && worker.cores > 1) {
      json["members"] = worker.members;
      json["team"] = traces::team_json(worker.team);
    }
    workers.push_back(std::move(json));
  }
  return workers;
}

Json policy_options_json(const std::string& specification) {
  Json json = Json::object();
  const auto parsed = scheduler::parse_policy(specification);
  if (!parsed) return json;
  for (const auto& [name, value] : parsed.value().options) {
    json[name] = value.empty() ? Json(true) : Json(value);
  }
  return json;
}

std::string as_text(const Json& json) { return json.dump(2); }

RunReport report_at_end(Runtime& runtime) {
  runtime.wait();
  return runtime.report();
}

RunReport difference(const RunReport& later, const RunReport& earlier) {
  RunReport result = later;
  result.submitted -= earlier.submitted;
  result.ended -= earlier.ended;
  for (std::size_t i = 0; i < result.workers.size(); ++i) {
    WorkerReport& worker = result.workers[i];
    const WorkerReport& before = earlier.workers[i];
    subtract(worker.counts, before.counts);
    subtract(worker.time, before.time);
    worker.team -= before.team;
  }
  result.transfers = traces::difference(later.transfers, earlier.transfers);
  for (PredictionReport& of : result.predictions) {
    for (const PredictionReport& before : earlier.predictions) {
      if (before.codelet == of.codelet && before.kind == of.kind) of.errors -= before.errors;
    }
  }
  std::erase_if(result.predictions,
                [](const PredictionReport& of) { return of.errors.tasks + of.errors.unpredicted == 0; });
  return result;
}

traces::Picture picture_of(const RunSummary& summary) {
  traces::Picture picture =
      traces::picture_of(summary.trace, traces::describe(summary.title(), summary.trace, summary.report));
  picture.subtitle.push_back(
      fmt::format("{} matrix, policy {}, {:.4g} GFlop/s", summary.problem, summary.policy, summary.runs.back().gflops));
  return picture;
}

void print(const RunSummary& summary, bool json) {
  double gpus = 0;
  double busy = 0;
  for (const WorkerReport& worker : summary.report.workers) {
    if (!is_accelerator(worker.kind)) continue;
    ++gpus;
    busy += times_of(worker, summary.runs.back().seconds).busy / summary.runs.back().seconds;
  }
  remark_on_blas_kernels();
  if (gpus > 0) remark_on_idle_gpus(summary.policy, busy / gpus);
  if (json) {
    fmt::print("{}\n", as_text(to_json(summary)));
  } else {
    print_text(summary);
  }
}

}  // namespace troupe::apps
