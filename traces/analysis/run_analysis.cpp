#include "traces/analysis/run_analysis.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "traces/analysis/kernel_intervals.hpp"
#include "traces/analysis/trace_index.hpp"

namespace troupe::traces {

namespace {

Interval window_of(const Trace& trace) {
  if (trace.events.empty()) return {};
  Interval window{trace.events.front().start, trace.events.front().end};
  for (const TraceEvent& event : trace.events) {
    window.start = std::min(window.start, event.start);
    window.end = std::max(window.end, event.end);
  }
  // Other workers may still run the last pieces of a task when the event of the task ends.
  for (const TraceState& state : trace.states) {
    if (state.state == WorkerActivity::helping) window.end = std::max(window.end, state.end);
  }
  return window;
}

/// The times of one worker in the trace.
struct WorkerTimes {
  std::uint64_t tasks = 0;
  std::vector<Interval> kernels;
  std::vector<Interval> helping;
  std::vector<Interval> stealing;
  std::vector<Interval> searching;
  std::vector<Interval> asleep;
  std::vector<Interval> lent;
};

std::vector<WorkerTimes> times_of(const Trace& trace, std::size_t workers) {
  std::vector<WorkerTimes> times(workers);
  for (const TraceEvent& event : trace.events) {
    if (event.worker.index() >= workers) continue;
    WorkerTimes& worker = times[event.worker.index()];
    ++worker.tasks;
    for_each_kernel_interval(trace, event, [&](const Interval& interval) { worker.kernels.push_back(interval); });
  }
  for (const TraceState& state : trace.states) {
    if (state.worker.index() >= workers) continue;
    WorkerTimes& worker = times[state.worker.index()];
    const Interval span{state.start, state.end};
    switch (state.state) {
      case WorkerActivity::stealing: worker.stealing.push_back(span); break;
      case WorkerActivity::searching: worker.searching.push_back(span); break;
      case WorkerActivity::asleep: worker.asleep.push_back(span); break;
      case WorkerActivity::lent: worker.lent.push_back(span); break;
      case WorkerActivity::helping: worker.helping.push_back(span); break;
      case WorkerActivity::working: break;
    }
  }
  return times;
}

/// Divides the window into the durations of `WorkerUse`. Each duration gets only time that no earlier duration has got,
/// and `overhead` gets the rest. The sum is therefore always the whole window, even if the trace is inconsistent.
WorkerUse use_of(WorkerTimes& times, const Interval& window, const Intervals& anywhere) {
  WorkerUse use;
  use.tasks = times.tasks;
  times.kernels.insert(times.kernels.end(), times.helping.begin(), times.helping.end());
  const Intervals all({window});
  const Intervals kernels = Intervals(std::move(times.kernels)).common_with(all);
  Intervals rest = all.without(kernels);
  const auto take = [&rest](std::vector<Interval>& spans) {
    Intervals taken = Intervals(std::move(spans)).common_with(rest);
    rest = rest.without(taken);
    return taken;
  };
  use.lent = take(times.lent).length();
  const Intervals stealing = take(times.stealing);
  const Intervals looking = take(times.searching);
  const Intervals asleep = take(times.asleep);
  const Intervals looking_busy = looking.common_with(anywhere);
  const Intervals waiting = asleep.common_with(anywhere);
  use.kernels = kernels.length();
  use.overhead = rest.length();
  use.searching = stealing.length() + looking_busy.length();
  use.waiting = waiting.length();
  use.idle = looking.length() - looking_busy.length() + asleep.length() - waiting.length();
  const TimeStamp last_end = kernels.parts().empty() ? window.start : kernels.parts().back().end;
  const Intervals end({{last_end, window.end}});
  for (const Intervals* part : {&stealing, &looking_busy, &waiting}) use.at_the_end += part->common_with(end).length();
  return use;
}

/// Returns the time that would be saved if the slower tasks ran at the rate of the fastest quartile; see `CodeletUse`.
Duration slowed(const std::vector<const TraceEvent*>& tasks) {
  constexpr std::size_t kFewest = 8;
  if (tasks.size() < kFewest) return {};
  std::vector<double> s_per_flop;
  for (const TraceEvent* task : tasks) {
    if (!(task->flops > 0)) return {};
    s_per_flop.push_back(seconds(task->duration()) / task->flops);
  }
  const auto quartile = s_per_flop.begin() + static_cast<std::ptrdiff_t>(s_per_flop.size() / 4);
  std::nth_element(s_per_flop.begin(), quartile, s_per_flop.end());
  double excess_s = 0;
  for (const TraceEvent* task : tasks) excess_s += std::max(0.0, seconds(task->duration()) - *quartile * task->flops);
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(excess_s));
}

CodeletUse use_of(const std::string& name, const std::vector<const TraceEvent*>& tasks) {
  CodeletUse use;
  use.name = name;
  use.tasks = tasks.size();
  use.shortest = use.longest = tasks.front()->duration();
  double flops = 0;
  Duration flop_time{};
  for (const TraceEvent* task : tasks) {
    const Duration duration = task->duration();
    use.total += duration;
    use.failed += task->failed ? 1 : 0;
    use.shortest = std::min(use.shortest, duration);
    use.longest = std::max(use.longest, duration);
    if (!(task->flops > 0)) continue;
    flops += task->flops;
    flop_time += duration;
  }
  const auto count = static_cast<double>(tasks.size());
  use.mean_s = seconds(use.total) / count;
  double squares = 0;
  for (const TraceEvent* task : tasks) {
    const double difference = seconds(task->duration()) - use.mean_s;
    squares += difference * difference;
  }
  if (tasks.size() > 1) use.deviation_s = std::sqrt(squares / (count - 1));
  if (flop_time > Duration{}) use.gflops = flops / seconds(flop_time) * 1e-9;
  use.slowed = slowed(tasks);
  return use;
}

template <class Use>
void sort_by_total(std::vector<Use>& uses) {
  std::stable_sort(uses.begin(), uses.end(), [](const Use& a, const Use& b) { return a.total > b.total; });
}

std::vector<CodeletUse> codelets_of(const Trace& trace) {
  std::vector<std::vector<const TraceEvent*>> tasks(trace.codelets.size());
  for (const TraceEvent& event : trace.events) tasks[event.codelet].push_back(&event);
  std::vector<CodeletUse> uses;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if (!tasks[i].empty()) uses.push_back(use_of(trace.codelets[i], tasks[i]));
  }
  sort_by_total(uses);
  return uses;
}

std::vector<PathUse> path_codelets_of(const Trace& trace, const CriticalPath& path) {
  std::vector<PathUse> uses(trace.codelets.size());
  std::unordered_set<std::size_t> seen;
  for (std::size_t i = 0; i < path.tasks.size(); ++i) {
    const TraceEvent& event = trace.events[path.tasks[i]];
    PathUse& use = uses[event.codelet];
    use.codelet = trace.codelet_of(event);
    use.tasks += seen.insert(path.tasks[i]).second ? 1 : 0;
    use.total += path.times[i];
  }
  std::erase_if(uses, [](const PathUse& use) { return use.tasks == 0; });
  sort_by_total(uses);
  return uses;
}

std::uint64_t known_dependencies(const Trace& trace, const TraceIndex& index) {
  return static_cast<std::uint64_t>(
      std::count_if(trace.dependencies.begin(), trace.dependencies.end(), [&](const TraceDependency& dependency) {
        return index.find(dependency.before).has_value() && index.find(dependency.after).has_value();
      }));
}

}  // namespace

WorkerUse RunAnalysis::sum() const {
  WorkerUse sum;
  for (const WorkerUse& worker : workers) {
    sum.tasks += worker.tasks;
    sum.kernels += worker.kernels;
    sum.overhead += worker.overhead;
    sum.searching += worker.searching;
    sum.lent += worker.lent;
    sum.waiting += worker.waiting;
    sum.idle += worker.idle;
    sum.at_the_end += worker.at_the_end;
    sum.team += worker.team;
  }
  return sum;
}

std::uint64_t RunAnalysis::path_tasks() const {
  std::uint64_t tasks = 0;
  for (const PathUse& use : path_codelets) tasks += use.tasks;
  return tasks;
}

Duration RunAnalysis::slowed() const {
  Duration total{};
  for (const CodeletUse& use : codelets) total += use.slowed;
  return total;
}

Duration RunAnalysis::limited_by_dependencies() const {
  const WorkerUse all = sum();
  return all.searching + all.waiting - all.at_the_end;
}

Duration RunAnalysis::work_bound() const {
  return workers.empty() ? Duration{} : sum().kernels / static_cast<std::int64_t>(workers.size());
}

Duration RunAnalysis::bound() const { return std::max(work_bound(), path.length); }

RunAnalysis analyse(const Trace& trace, std::size_t workers, const std::optional<Interval>& window) {
  RunAnalysis analysis;
  Interval analysed = window.value_or(window_of(trace));
  // The analysis ends where the trace is no longer complete, because later time would look like time without tasks.
  analysed.end = std::min(analysed.end, trace.complete_until);
  analysis.makespan = std::max(Duration{}, analysed.end - analysed.start);
  analysis.tasks = trace.events.size();
  const TraceIndex index(trace);
  const TaskTree tree(trace, index);
  analysis.dependencies = known_dependencies(trace, index);
  analysis.dropped = trace.dropped;
  std::vector<Interval> spans;
  for (const TraceEvent& event : trace.events) {
    for_each_kernel_interval(trace, event, [&](const Interval& interval) { spans.push_back(interval); });
  }
  for (const TraceState& state : trace.states) {
    if (state.state == WorkerActivity::helping) spans.push_back({state.start, state.end});
  }
  const Intervals anywhere(std::move(spans));
  for (WorkerTimes& times : times_of(trace, workers)) {
    analysis.workers.push_back(use_of(times, analysed, anywhere));
  }
  for (const TraceEvent& event : trace.events) {
    if (event.worker.index() < workers) analysis.workers[event.worker.index()].team += event.team_use();
  }
  analysis.codelets = codelets_of(trace);
  analysis.path = critical_path(trace, index, tree);
  analysis.path_codelets = path_codelets_of(trace, analysis.path);
  analysis.nested = nested_tasks(trace, tree);
  return analysis;
}

}  // namespace troupe::traces
