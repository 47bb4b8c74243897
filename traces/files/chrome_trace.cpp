#include "traces/files/chrome_trace.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "proto/json/json.hpp"
#include "traces/analysis/kernel_intervals.hpp"
#include "traces/analysis/task_tree.hpp"
#include "traces/analysis/trace_index.hpp"
#include "traces/files/copy_tracks.hpp"
#include "traces/files/task_lanes.hpp"

namespace troupe::traces {

namespace {

/// Returns the text as JSON, with its quotes.
std::string quoted(const std::string& text) { return Json(text).dump(); }

class ChromeTrace {
 public:
  ChromeTrace(const Trace& trace, const TraceDescription& description, BufferedFile& out)
      : trace_(trace), description_(description), out_(out), lanes_(trace, description.workers.size()), index_(trace) {
    for (const std::string& codelet : trace.codelets) codelets_.push_back(quoted(codelet));
    copies_ = copy_tracks(trace);
  }

  void print() {
    out_.print(R"({{"displayTimeUnit":"ns","otherData":{{"title":{},"dropped":{}}},"traceEvents":[)",
               quoted(description_.title), trace_.dropped);
    print_names();
    for (std::size_t i = 0; i < trace_.events.size(); ++i) print_task(trace_.events[i], thread_of_event(i));
    for (const TraceState& state : trace_.states) print_state(state);
    for (std::size_t i = 0; i < copies_.size(); ++i) print_copies(i);
    print_flows();
    print_running();
    out_.print("\n]}}\n");
  }

 private:
  /// Thread ids begin at 1, because thread 0 would be the system's idle thread.
  static std::size_t thread_of(WorkerId worker) { return worker.index() + 1; }

  void separate() {
    out_.print("{}\n", first_ ? "" : ",");
    first_ = false;
  }

  /// Returns the duration in microseconds.
  static std::string time(Duration duration) {
    const auto ns = duration.count();
    return fmt::format("{}.{:03}", ns / 1000, ns % 1000);
  }
  /// Returns the time since the begin in microseconds, plus a tenth of a nanosecond. Perfetto multiplies the binary
  /// number by 1000 and drops the fraction, so 1.001 us would become 1000 ns. Perfetto also drops a slice that begins
  /// one nanosecond before the previous slice of the same thread ends. Durations are printed without this addition, so
  /// Perfetto may show them one nanosecond too short.
  [[nodiscard]] std::string since_begin(TimeStamp stamp) const {
    return time(std::max(Duration{}, stamp - description_.begin)) + "1";
  }

  /// Returns the thread id of a track of copies. These ids follow the ids of the workers.
  [[nodiscard]] std::size_t thread_of_copies(std::size_t track) const {
    return description_.workers.size() + 1 + track;
  }

  /// Returns the thread id of a lane. The id of a worker's first lane is the worker's own; the ids of the further lanes
  /// of all workers follow the ids of the copies.
  [[nodiscard]] std::size_t thread_of_lane(std::size_t worker, std::size_t lane) const {
    if (lane == 0) return worker + 1;
    std::size_t before = 0;
    for (std::size_t i = 0; i < worker; ++i) before += lanes_.count(i) - 1;
    return thread_of_copies(copies_.size()) + before + lane - 1;
  }
  [[nodiscard]] std::size_t thread_of_event(std::size_t event) const {
    return thread_of_lane(trace_.events[event].worker.index(), lanes_.of(event));
  }

  void print_thread(std::size_t thread, std::size_t place, const std::string& name) {
    separate();
    out_.print(R"({{"ph":"M","pid":1,"tid":{},"name":"thread_name","args":{{"name":{}}}}})", thread, quoted(name));
    separate();
    out_.print(R"({{"ph":"M","pid":1,"tid":{},"name":"thread_sort_index","args":{{"sort_index":{}}}}})", thread, place);
  }

  void print_names() {
    separate();
    out_.print(R"({{"ph":"M","pid":1,"name":"process_name","args":{{"name":{}}}}})", quoted(description_.title));
    std::size_t place = 0;
    for (std::size_t i = 0; i < description_.workers.size(); ++i) {
      const std::string name = fmt::format("worker {} ({})", i, description_.workers[i]);
      for (std::size_t lane = 0; lane < lanes_.count(i); ++lane) {
        print_thread(thread_of_lane(i, lane), place++, lane == 0 ? name : fmt::format("{}, lane {}", name, lane + 1));
      }
    }
    for (std::size_t i = 0; i < copies_.size(); ++i) {
      print_thread(thread_of_copies(i), place++, copies_[i].name(description_.nodes));
    }
  }

  void print_copies(std::size_t track) {
    for (const TrackedCopy& copy : copies_[track].copies) {
      separate();
      out_.print(
          R"({{"ph":"X","pid":1,"tid":{},"ts":{},"dur":{},"cat":"copy","name":"copy","args":{{"data":{},"bytes":{},)"
          R"("waited_us":{}}}}})",
          thread_of_copies(track), since_begin(copy.start), time(copy.end - copy.start), copy.handle.value(),
          copy.bytes.count, time(copy.start - copy.asked));
    }
  }

  void print_task(const TraceEvent& event, std::size_t thread) {
    separate();
    out_.print(R"({{"ph":"X","pid":1,"tid":{},"ts":{},"dur":{},"cat":"task","name":{},"args":{{"task":{})", thread,
               since_begin(event.start), time(event.end - event.start), codelets_[event.codelet], event.task.value());
    if (event.name != 0) out_.print(R"(,"name":{})", quoted(trace_.name_of(event)));
    if (event.nesting.parent.valid()) out_.print(R"(,"parent":{})", event.nesting.parent.value());
    if (event.nesting.waited > Duration{}) out_.print(R"(,"waited_us":{})", time(event.nesting.waited));
    // GFlop/s are operations per nanosecond.
    const double gflops = event.flops / static_cast<double>(event.duration().count());
    if (std::isfinite(gflops) && gflops > 0) out_.print(R"(,"GFlop/s":{:.4g})", gflops);
    if (event.cores > 1) print_cores(event);
    out_.print(R"(,"priority":{}{}}}}})", event.priority, event.failed ? R"(,"failed":true)" : "");
  }

  /// Prints two numbers for a task on a cluster: the cluster's cores, and how many of them computed on average.
  void print_cores(const TraceEvent& event) {
    out_.print(R"(,"cores":{})", event.cores);
    if (const auto used = event.team_use().used_fraction()) out_.print(R"(,"cores used":{:.4g})", *used * event.cores);
  }

  void print_state(const TraceState& state) {
    separate();
    out_.print(R"({{"ph":"X","pid":1,"tid":{},"ts":{},"dur":{},"cat":"state","name":"{}")", thread_of(state.worker),
               since_begin(state.start), time(state.end - state.start), to_string(state.state));
    if (state.task.valid()) print_helped(state.task);
    out_.print("}}");
  }

  /// Prints which task the worker helps. The trace may have no event of that task, for example if the task still runs.
  void print_helped(TaskId task) {
    out_.print(R"(,"args":{{"task":{})", task.value());
    if (const auto at = index_.find(task)) {
      const TraceEvent& event = trace_.events[*at];
      out_.print(R"(,"codelet":{})", codelets_[event.codelet]);
      if (event.name != 0) out_.print(R"(,"name":{})", quoted(trace_.name_of(event)));
    }
    out_.print("}}");
  }

  void print_flows() {
    std::size_t flow = 0;
    for (const TraceDependency& dependency : trace_.dependencies) {
      const auto before = index_.find(dependency.before);
      const auto after = index_.find(dependency.after);
      if (!before || !after) continue;
      const TraceEvent& from = trace_.events[*before];
      const TraceEvent& to = trace_.events[*after];
      if (from.end > to.start) continue;
      print_flow("dependency", ++flow, *before, from.end, *after);
    }
    for_each_child(trace_, index_, [&](std::size_t parent, std::size_t child, TimeStamp submitted) {
      print_flow("child", ++flow, parent, submitted, child);
    });
  }

  /// Prints an arrow from the task `from`, at the time `at`, to the start of the task `to`.
  void print_flow(std::string_view name, std::size_t flow, std::size_t from, TimeStamp at, std::size_t to) {
    // An arrow that starts exactly at the end of a task would lie outside of the task's rectangle.
    const TraceEvent& event = trace_.events[from];
    const TimeStamp start = std::max(event.start, std::min(at, event.end - Duration(1)));
    print_flow_end("s", name, flow, thread_of_event(from), start);
    print_flow_end("f", name, flow, thread_of_event(to), trace_.events[to].start);
  }

  void print_flow_end(std::string_view phase, std::string_view name, std::size_t flow, std::size_t thread,
                      TimeStamp stamp) {
    separate();
    out_.print(R"({{"ph":"{}",{}"id":{},"pid":1,"tid":{},"ts":{},"cat":"{}","name":"{}"}})", phase,
               phase == "f" ? R"("bp":"e",)" : "", flow, thread, since_begin(stamp), name, name);
  }

  void print_running() {
    std::vector<std::pair<TimeStamp, int>> changes;
    changes.reserve(2 * trace_.events.size());
    for (const TraceEvent& event : trace_.events) {
      for_each_kernel_interval(trace_, event, [&](const Interval& interval) {
        changes.emplace_back(interval.start, 1);
        changes.emplace_back(interval.end, -1);
      });
    }
    std::sort(changes.begin(), changes.end());
    int running = 0;
    for (std::size_t i = 0; i < changes.size(); ++i) {
      running += changes[i].second;
      if (i + 1 < changes.size() && changes[i + 1].first == changes[i].first) continue;
      separate();
      out_.print(R"({{"ph":"C","pid":1,"ts":{},"name":"running tasks","args":{{"tasks":{}}}}})",
                 since_begin(changes[i].first), running);
    }
  }

  const Trace& trace_;
  const TraceDescription& description_;
  BufferedFile& out_;
  /// The names of codelets as JSON strings.
  std::vector<std::string> codelets_;
  std::vector<CopyTrack> copies_;
  const TaskLanes lanes_;
  const TraceIndex index_;
  bool first_ = true;
};

}  // namespace

void print_chrome(const Trace& trace, const TraceDescription& description, BufferedFile& out) {
  ChromeTrace(trace, description, out).print();
}

}  // namespace troupe::traces
