#include "traces/text/analysis_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "traces/text/human.hpp"
#include "traces/text/table.hpp"

namespace troupe::traces {

namespace {

double fraction(Duration part, Duration whole) { return whole.count() > 0 ? seconds(part) / seconds(whole) : 0; }
std::string percent(Duration part, Duration whole) { return fmt::format("{:.1f} %", 100 * fraction(part, whole)); }
std::string human(Duration duration) { return human_seconds(seconds(duration)); }

/// Returns the length of the run, multiplied by the number of workers.
Duration total_of(const RunAnalysis& analysis) {
  return analysis.makespan * static_cast<std::int64_t>(analysis.workers.size());
}

/// Says which optional columns the table of workers needs.
struct Columns {
  bool lent = false;
  bool teams = false;
};

std::vector<std::string> worker_row(std::string name, std::string device, const WorkerUse& use, Duration whole,
                                    const Columns& more) {
  std::vector<std::string> row{std::move(name),
                               std::move(device),
                               human_count(use.tasks),
                               percent(use.kernels, whole),
                               percent(use.overhead, whole),
                               percent(use.searching, whole),
                               percent(use.waiting, whole),
                               percent(use.idle, whole)};
  if (more.lent) row.push_back(percent(use.lent, whole));
  if (more.teams) row.push_back(human_team_use(use.team));
  return row;
}

std::string workers_text(const RunAnalysis& analysis, const std::vector<std::string>& devices) {
  const WorkerUse sum = analysis.sum();
  const Columns more{sum.lent > Duration{}, sum.team != TeamUse{}};
  std::vector<std::string> columns{"worker",    "device",     ">tasks",   ">kernels",
                                   ">overhead", ">searching", ">waiting", ">idle"};
  if (more.lent) columns.emplace_back(">lent");
  if (more.teams) columns.emplace_back(">team used");
  Table table(std::move(columns));
  for (std::size_t i = 0; i < analysis.workers.size(); ++i) {
    table.add_row(worker_row(fmt::to_string(i), i < devices.size() ? devices[i] : "", analysis.workers[i],
                             analysis.makespan, more));
  }
  table.add_rule();
  table.add_row(worker_row("all", "", sum, total_of(analysis), more));
  return table.text(2);
}

std::string codelets_text(const RunAnalysis& analysis) {
  Table table({"codelet", ">tasks", ">of kernels", ">mean", ">deviation", ">shortest", ">longest", ">GFlop/s"});
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
  const CriticalPath& path = analysis.path;
  std::string codelets;
  // A codelet's name may contain line breaks. They become spaces below, because the codelets of the path are printed as
  // one paragraph.
  for (const PathUse& use : analysis.path_codelets) {
    codelets += fmt::format("{}{} {} ({})", codelets.empty() ? "" : ", ", human_count(use.tasks), use.codelet,
                            human(use.total));
  }
  std::replace(codelets.begin(), codelets.end(), '\n', ' ');
  return fmt::format(
      "  critical path   {}, {} of the time: {}: {}\n"
      "                  {} of it without pause (at most {} after the task before); pauses {}, longest {}\n"
      "  work / workers  {}, {} of the time\n",
      human(path.length), percent(path.length, analysis.makespan), counted(analysis.path_tasks(), "task"), codelets,
      percent(path.unpaused, path.length), human(kPause), human(path.pauses), human(path.longest_pause),
      human(analysis.work_bound()), percent(analysis.work_bound(), analysis.makespan));
}

std::string nested_table(const std::vector<NestedUse>& uses) {
  Table table({"task", "codelet", ">tasks inside", ">levels", ">kernels", ">span", ">kernels at once"});
  for (const NestedUse& use : uses) {
    std::string task = fmt::to_string(use.task.value());
    if (!use.name.empty()) task += fmt::format(" '{}'", use.name);
    table.add_row({std::move(task), use.codelet, human_count(use.inside), human_count(use.levels), human(use.kernels),
                   human(use.span), fmt::format("{:.2f}", use.at_once())});
  }
  return table.text(2);
}

std::string nested_text(const NestedTasks& nested) {
  std::string text = fmt::format("\n  {} in {}, at most {} deep. {}:\n{}", counted(nested.inside, "task"),
                                 counted(nested.outermost, "nested task"), counted(nested.levels, "level"),
                                 nested.longest.size() < nested.outermost ? "The longest of these" : "All of these",
                                 nested_table(nested.longest));
  // If there is only one nested task, the list below would only repeat it.
  if (nested.levels == 1 && nested.outermost == 1) return text;
  return text + fmt::format(
                    "\n  Nested tasks of all levels with the fewest kernels at once, of those that took at "
                    "least {:.0f} % of the longest one's time:\n{}",
                    100 * NestedTasks::kLeastSpan, nested_table(nested.narrowest));
}

std::string breakdown_text(const RunAnalysis& analysis) {
  const WorkerUse sum = analysis.sum();
  const Duration whole = total_of(analysis);
  std::string text;
  const auto line = [&](Duration part, std::string_view what) {
    if (part > Duration{}) text += fmt::format("  {:>7}  {}\n", percent(part, whole), what);
  };
  line(sum.kernels, "in kernels");
  line(analysis.slowed(), "  of which at most: tasks slower than the fastest quarter of their codelet, per operation");
  line(sum.overhead, "the runtime's own work between kernels");
  line(analysis.limited_by_dependencies(), "no ready task for a worker while others computed: dependencies");
  line(sum.at_the_end, "no task for a worker after its last one, while others computed: imbalance at the end");
  line(sum.idle, "nothing ran at all: before, after, or the program had submitted nothing that could");
  return text;
}

}  // namespace

std::string analysis_text(const RunAnalysis& analysis, const std::vector<std::string>& devices) {
  std::string text =
      fmt::format("Where the time went: {} on {}, {}, {}\n", human(analysis.makespan),
                  counted(analysis.workers.size(), "worker"), counted(analysis.tasks, "task"),
                  analysis.dependencies == 1 ? "1 dependency" : human_count(analysis.dependencies) + " dependencies");
  if (analysis.dropped > 0) {
    text += fmt::format("  incomplete: the trace had no room for {} entries; this is what came before them\n",
                        human_count(analysis.dropped));
  }
  if (analysis.tasks == 0) return text + "  no task ran\n";
  text += '\n' + workers_text(analysis, devices) + '\n' + codelets_text(analysis) + '\n' + path_text(analysis);
  if (analysis.nested.inside > 0) text += nested_text(analysis.nested);
  return text + "\n  Of the workers' time:\n" + breakdown_text(analysis);
}

}  // namespace troupe::traces
