#include "traces/text/analysis_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "traces/text/human.hpp"
#include "traces/text/table.hpp"

namespace troupe::traces {

namespace {

using actors::CodeletUse;
using actors::RunAnalysis;
using actors::WorkerUse;

double share(Duration part, Duration whole) { return whole.count() > 0 ? seconds(part) / seconds(whole) : 0; }
std::string percent(Duration part, Duration whole) { return fmt::format("{:.1f} %", 100 * share(part, whole)); }
std::string human(Duration duration) { return human_seconds(seconds(duration)); }

/// Of all workers together.
Duration total_of(const RunAnalysis& analysis) {
  return analysis.makespan * static_cast<std::int64_t>(analysis.workers.size());
}

std::vector<std::string> worker_row(std::string name, std::string device, const WorkerUse& use, Duration whole) {
  return {std::move(name),
          std::move(device),
          human_count(use.tasks),
          percent(use.kernels, whole),
          percent(use.overhead, whole),
          percent(use.searching, whole),
          percent(use.waiting, whole),
          percent(use.idle, whole)};
}

std::string workers_text(const RunAnalysis& analysis, const std::vector<std::string>& devices) {
  Table table(table_columns({"worker", "device"}, {"tasks", "kernels", "overhead", "searching", "waiting", "idle"}));
  for (std::size_t i = 0; i < analysis.workers.size(); ++i) {
    table.add_row(
        worker_row(fmt::to_string(i), i < devices.size() ? devices[i] : "", analysis.workers[i], analysis.makespan));
  }
  table.add_rule();
  table.add_row(worker_row("all", "", analysis.sum(), total_of(analysis)));
  return table.text(2);
}

std::string codelets_text(const RunAnalysis& analysis) {
  Table table(
      table_columns({"codelet"}, {"tasks", "of kernels", "mean", "deviation", "shortest", "longest", "GFlop/s"}));
  const Duration kernels = analysis.sum().kernels;
  for (const CodeletUse& use : analysis.codelets) {
    const std::string failed = use.failed > 0 ? fmt::format(" ({} failed)", human_count(use.failed)) : "";
    table.add_row({use.name, human_count(use.tasks) + failed, percent(use.total, kernels), human_seconds(use.mean_s),
                   human_seconds(use.deviation_s), human(use.shortest), human(use.longest),
                   use.gflops > 0 ? fmt::format("{:.4g}", use.gflops) : "-"});
  }
  return table.text(2);
}

std::string path_text(const RunAnalysis& analysis) {
  const actors::CriticalPath& path = analysis.path;
  std::string codelets;
  // A name may have line breaks.
  for (const actors::PathUse& use : analysis.path_codelets) {
    codelets += fmt::format("{}{} {} ({})", codelets.empty() ? "" : ", ", human_count(use.tasks), use.codelet,
                            human(use.total));
  }
  std::replace(codelets.begin(), codelets.end(), '\n', ' ');
  return fmt::format(
      "  critical path   {}, {} of the time: {} tasks: {}\n"
      "                  {} of it without pause (at most {} after the task before); pauses {}, longest {}\n"
      "  work / workers  {}, {} of the time\n",
      human(path.length), percent(path.length, analysis.makespan), human_count(path.tasks.size()), codelets,
      percent(path.unpaused, path.length), human(actors::kPause), human(path.pauses), human(path.longest_pause),
      human(analysis.work_bound()), percent(analysis.work_bound(), analysis.makespan));
}

Duration slowed(const RunAnalysis& analysis) {
  Duration sum{};
  for (const CodeletUse& use : analysis.codelets) sum += use.slowed;
  return sum;
}

/// The end of a run is a matter of balance; before, what is in flight bounds what can be done.
Duration limited_by_dependencies(const WorkerUse& sum) { return sum.searching + sum.waiting - sum.at_the_end; }

std::string breakdown_text(const RunAnalysis& analysis) {
  const WorkerUse sum = analysis.sum();
  const Duration whole = total_of(analysis);
  std::string text;
  const auto line = [&](Duration part, std::string_view what) {
    if (part > Duration{}) text += fmt::format("  {:>7}  {}\n", percent(part, whole), what);
  };
  line(sum.kernels, "in kernels");
  line(slowed(analysis), "  of which at most: tasks slower than the fastest quarter of their codelet, per operation");
  line(sum.overhead, "the runtime's own work between kernels");
  line(limited_by_dependencies(sum), "no ready task for a worker while others computed: dependencies");
  line(sum.at_the_end, "the same after a worker's last task: imbalance at the end");
  line(sum.idle, "nothing ran at all: before, after, or the program had submitted nothing that could");
  return text;
}

nlohmann::json worker_json(const WorkerUse& use) {
  return {{"tasks", use.tasks},
          {"kernel_seconds", seconds(use.kernels)},
          {"overhead_seconds", seconds(use.overhead)},
          {"searching_seconds", seconds(use.searching)},
          {"waiting_seconds", seconds(use.waiting)},
          {"idle_seconds", seconds(use.idle)},
          {"end_seconds", seconds(use.at_the_end)}};
}

nlohmann::json codelet_json(const CodeletUse& use) {
  return {{"codelet", use.name},
          {"tasks", use.tasks},
          {"failed", use.failed},
          {"seconds", seconds(use.total)},
          {"mean_seconds", use.mean_s},
          {"deviation_seconds", use.deviation_s},
          {"shortest_seconds", seconds(use.shortest)},
          {"longest_seconds", seconds(use.longest)},
          {"gflops", use.gflops},
          {"slowed_seconds", seconds(use.slowed)}};
}

nlohmann::json path_json(const RunAnalysis& analysis) {
  nlohmann::json codelets = nlohmann::json::array();
  for (const actors::PathUse& use : analysis.path_codelets) {
    codelets.push_back({{"codelet", use.codelet}, {"tasks", use.tasks}, {"seconds", seconds(use.total)}});
  }
  return {{"seconds", seconds(analysis.path.length)},
          {"tasks", analysis.path.tasks.size()},
          {"codelets", std::move(codelets)},
          {"unpaused_share", share(analysis.path.unpaused, analysis.path.length)},
          {"pause_seconds", seconds(analysis.path.pauses)},
          {"longest_pause_seconds", seconds(analysis.path.longest_pause)}};
}

}  // namespace

std::string analysis_text(const RunAnalysis& analysis, const std::vector<std::string>& devices) {
  std::string text =
      fmt::format("Where the time went: {} on {} workers, {} tasks, {} dependencies\n", human(analysis.makespan),
                  analysis.workers.size(), human_count(analysis.tasks), human_count(analysis.dependencies));
  if (analysis.dropped > 0) {
    text += fmt::format("  incomplete: the trace had no room for {} entries; this is what came before them\n",
                        human_count(analysis.dropped));
  }
  if (analysis.tasks == 0) return text + "  no task ran\n";
  text += '\n' + workers_text(analysis, devices) + '\n' + codelets_text(analysis) + '\n' + path_text(analysis);
  return text + "\n  Of the workers' time:\n" + breakdown_text(analysis);
}

nlohmann::json analysis_json(const RunAnalysis& analysis) {
  const WorkerUse sum = analysis.sum();
  nlohmann::json json{
      {"seconds", seconds(analysis.makespan)},     {"tasks", analysis.tasks},
      {"dependencies", analysis.dependencies},     {"dropped", analysis.dropped},
      {"workers", nlohmann::json::array()},        {"codelets", nlohmann::json::array()},
      {"critical_path", path_json(analysis)},      {"work_bound_seconds", seconds(analysis.work_bound())},
      {"bound_seconds", seconds(analysis.bound())}};
  for (const WorkerUse& use : analysis.workers) json["workers"].push_back(worker_json(use));
  for (const CodeletUse& use : analysis.codelets) json["codelets"].push_back(codelet_json(use));
  json["worker_seconds"] = {
      {"kernels", seconds(sum.kernels)},   {"slowed", seconds(slowed(analysis))},
      {"overhead", seconds(sum.overhead)}, {"dependencies", seconds(limited_by_dependencies(sum))},
      {"end", seconds(sum.at_the_end)},    {"idle", seconds(sum.idle)}};
  return json;
}

}  // namespace troupe::traces
