#include "traces/files/trace_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <utility>

#include "platform/files/atomic_file.hpp"
#include "traces/files/chrome_trace.hpp"
#include "traces/files/paje_trace.hpp"
#include "traces/files/run_writer.hpp"
#include "traces/text/transfer_summary.hpp"

namespace troupe::traces {

namespace {

constexpr std::string_view kChrome = ".json";
constexpr std::string_view kPaje = ".paje";

/// Registers the trace writer before `main`. The variable is in this file, so that every program that links
/// `write_trace` also links this call.
[[maybe_unused]] const bool offered = offer_run_writer();

/// Removes the time before the begin of the run from the states: a worker may have begun to sleep, or to look for work,
/// before the run.
void cut_states(std::vector<TraceState>& states, TimeStamp begin) {
  for (TraceState& state : states) state.start = std::max(state.start, begin);
  std::erase_if(states, [](const TraceState& state) { return state.end <= state.start; });
}

/// Removes the times of tasks from the states of their workers. The worker of a GPU sleeps while its kernels run, but a
/// viewer can show only one of the two, which is the kernels.
void cut_tasks(Trace& trace, std::size_t workers) {
  // The tasks of each worker, ordered by start.
  std::vector<std::vector<const TraceEvent*>> tasks(workers);
  for (const TraceEvent& event : trace.events) tasks[event.worker.index()].push_back(&event);
  std::vector<std::size_t> next(workers);
  std::vector<TraceState> left;
  for (TraceState state : trace.states) {
    const auto& own = tasks[state.worker.index()];
    std::size_t& i = next[state.worker.index()];
    while (i < own.size() && own[i]->end <= state.start) ++i;
    for (std::size_t k = i; k < own.size() && own[k]->start < state.end; ++k) {
      if (own[k]->start > state.start) {
        left.push_back(state);
        left.back().end = own[k]->start;
      }
      state.start = std::max(state.start, own[k]->end);
    }
    if (state.start < state.end) left.push_back(state);
  }
  trace.states = std::move(left);
}

/// While a `PipeSignalIgnored` lives, the process ignores SIGPIPE, so that a write to a pipe without a reader fails
/// like any other write.
class PipeSignalIgnored {
 public:
  PipeSignalIgnored() : previous_(std::signal(SIGPIPE, SIG_IGN)) {}
  PipeSignalIgnored(const PipeSignalIgnored&) = delete;
  PipeSignalIgnored& operator=(const PipeSignalIgnored&) = delete;
  ~PipeSignalIgnored() { std::signal(SIGPIPE, previous_); }

 private:
  void (*previous_)(int);
};

}  // namespace

TraceDescription describe(std::string title, const Trace& trace, const RunReport& report) {
  TraceDescription description{std::move(title), {}, {}, node_names(report)};
  for (const WorkerReport& worker : report.workers) description.workers.push_back(worker.device);
  if (!trace.events.empty()) description.begin = trace.events.front().start;
  return description;
}

Result<void> check_trace_path(const std::string& path) {
  if (!path.ends_with(kChrome) && !path.ends_with(kPaje)) {
    return Failure{ErrorCode::bad_input, fmt::format("the trace's name '{}' has to end in '{}' (for Perfetto and "
                                                     "Chrome) or '{}' (for ViTE)",
                                                     path, kChrome, kPaje)};
  }
  const auto writable = platform::check_writable(path);
  if (!writable) return Failure{ErrorCode::bad_input, writable.failure().message};
  return {};
}

Result<void> write_trace(const std::string& path, Trace trace, const TraceDescription& description) {
  cut_states(trace.states, description.begin);
  cut_tasks(trace, description.workers.size());
  const PipeSignalIgnored ignored;
  auto file = platform::AtomicFile::create(path);
  if (!file) return file.failure();
  BufferedFile out(std::move(file).value());
  if (path.ends_with(kPaje)) {
    print_paje(trace, description, out);
  } else {
    print_chrome(trace, description, out);
  }
  return out.commit();
}

}  // namespace troupe::traces
