/// A trace: the events of a runtime and their times, as plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "troupe/ids.hpp"
#include "troupe/report.hpp"
#include "troupe/team.hpp"
#include "troupe/units.hpp"

namespace troupe {

/// The activities of a worker.
enum class WorkerActivity : std::uint8_t {
  /// The worker runs tasks, or does the runtime's work between two tasks.
  working,
  /// The worker has sent a steal request to another worker and waits for the answer.
  stealing,
  /// The worker has no task and looks for tasks without sleeping.
  searching,
  /// The worker sleeps until it is woken.
  asleep,
  /// The worker lends its thread to the cluster that its core belongs to.
  lent,
  /// The worker runs pieces (`Codelet::pieces`) of a task that another worker has begun.
  helping,
};
inline constexpr int kWorkerActivities = 6;

/// Returns a name such as "working" or "stealing".
[[nodiscard]] constexpr const char* to_string(WorkerActivity state) {
  constexpr const char* kNames[kWorkerActivities] = {"working", "stealing", "searching", "asleep", "lent", "helping"};
  return kNames[static_cast<int>(state)];
}

/// The ties between a task and nested tasks (`TaskOptions::nested`).
struct TraceNesting {
  /// The nested task whose kernel submitted this task; invalid for tasks of the program. The nested task may have no
  /// event in the trace, because it has not ended yet, or ran before the trace was last taken.
  TaskId parent = {};
  /// The time at which the parent's kernel submitted the task; zero for tasks of the program.
  TimeStamp submitted{};
  /// The time in which the task's own kernel waited for children. Other tasks may have run on the worker meanwhile.
  Duration waited = {};
};

/// One task that was executed.
struct TraceEvent {
  WorkerId worker;
  /// The index of the codelet's name, see `Trace::codelet_of`.
  std::uint32_t codelet = 0;
  TaskId task;
  /// Times of the runtime's clock; all traces of one runtime have the same epoch.
  TimeStamp start{};
  TimeStamp end{};
  /// The floating-point operations; 0 if the codelet does not count them.
  double flops = 0;
  std::int32_t priority = 0;
  /// The index of the task's name, see `Trace::name_of`; 0 if it has none.
  std::uint32_t name = 0;
  bool failed = false;
  /// The number of cores of the worker: more than 1 for a cluster.
  int cores = 1;
  /// The sum of the times in which the worker's cores computed (`TeamUse`). Empty for a worker of one core, and if the
  /// sum is not known, as in virtual time and for kernels that have threads of their own.
  std::optional<Duration> used = {};

  TraceNesting nesting = {};

  /// Returns the time that the task took, without waits for children.
  [[nodiscard]] Duration duration() const { return end - start - nesting.waited; }
  /// Returns the use of a cluster's cores; all zero for a single core.
  [[nodiscard]] TeamUse team_use() const {
    if (cores == 1) return {};
    const Duration offered = cores * duration();
    if (!used) return {{}, {}, offered};
    return {offered, *used < offered ? *used : offered, {}};
  }
};

/// A dependency: `after` could not start before `before` had ended. Each of the two tasks may have no event in the
/// trace, because it ran before the trace was last taken, was cancelled, or runs no kernel: it then stands for a thread
/// that waits for data, or for one run of a recorded graph.
struct TraceDependency {
  TaskId before;
  TaskId after;
  /// Matters only if `before` is a nested task. True if `after` waited for the kernel and all children of `before`;
  /// false if `after` waited only for the kernel. Waits of `after` for single children of `before` are separate
  /// dependencies.
  bool whole = false;

  friend auto operator<=>(const TraceDependency&, const TraceDependency&) = default;
};

/// A time in which a worker was in a state other than `working`.
struct TraceState {
  WorkerId worker;
  WorkerActivity state = WorkerActivity::asleep;
  TimeStamp start{};
  TimeStamp end{};
  /// In the state `helping`, the task whose pieces the worker runs; otherwise invalid. The event of this task, if there
  /// is one, belongs to another worker.
  TaskId task = {};
};

/// A time in which the kernel of a nested task waited for children. Meanwhile the kernel's worker ran other tasks, or
/// was in a `TraceState`.
struct TraceWait {
  TaskId task;
  TimeStamp start{};
  TimeStamp end{};
};

/// The record of what a runtime did.
struct Trace {
  /// The tasks, sorted by start, then end.
  std::vector<TraceEvent> events;
  /// The dependencies, sorted by successor, then predecessor; each pair occurs once.
  std::vector<TraceDependency> dependencies;
  /// The states, sorted by worker, then start. The states of one worker overlap neither each other nor the worker's
  /// tasks, but a state may lie in the time in which a task's kernel waits (`TraceWait`).
  std::vector<TraceState> states;
  /// The waits in kernels, sorted by task, then start. The waits of one task do not overlap.
  std::vector<TraceWait> waits;
  /// The copies between memory nodes, sorted by end.
  std::vector<TraceTransfer> transfers;
  std::vector<std::string> codelets;
  /// The names of tasks, by `TraceEvent::name`. Entry 0 is empty.
  std::vector<std::string> names{std::string()};
  /// The number of entries for which there was no room (`ObservationOptions::trace_limit`).
  std::uint64_t dropped = 0;
  /// The trace has every task and state that began before this time.
  TimeStamp complete_until = TimeStamp::max();

  [[nodiscard]] const std::string& codelet_of(const TraceEvent& event) const { return codelets[event.codelet]; }
  /// Returns the task's name; empty if it has none.
  [[nodiscard]] const std::string& name_of(const TraceEvent& event) const { return names[event.name]; }
};

}  // namespace troupe
