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
  /// The worker runs tasks, or does the work between them.
  working,
  /// The worker has sent a steal request to another worker and waits for the answer.
  stealing,
  /// The worker has no task and looks for tasks without sleeping.
  searching,
  /// The worker sleeps until it is woken.
  asleep,
  /// The worker lends its thread to the cluster that its core belongs to.
  lent,
  /// The worker runs pieces of a task that another worker has begun.
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
  /// The nested task that the task belongs to: the task whose kernel submitted it. Invalid for tasks of the program. It
  /// may have no event in the trace, if it has not ended yet or ran before the trace was last taken.
  TaskId parent = {};
  /// The time at which the parent's kernel submitted the task; zero for tasks of the program.
  TimeStamp submitted{};
  /// The time in which the task's own kernel waited for children. Other tasks may have run on the worker then.
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
  /// The sum of the times in which these cores computed, see `TeamUse`. Empty for a single core, and if the sum is not
  /// known, as in virtual time and for kernels that have threads of their own.
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

/// A dependency: `after` could not start before `before` had ended. A task may have no event in the trace: it ran
/// before the trace was last taken, was cancelled, or stands for a wait of the program for data or for a run of a
/// recorded graph.
struct TraceDependency {
  TaskId before;
  TaskId after;
  /// Used where `before` is a nested task. True if `after` waited for all of `before`. False if `after` waited for the
  /// kernel of `before` only; its waits for children of `before` are dependencies of their own.
  bool whole = false;

  friend auto operator<=>(const TraceDependency&, const TraceDependency&) = default;
};

/// A time in which a worker was in a state other than `working`.
struct TraceState {
  WorkerId worker;
  WorkerActivity state = WorkerActivity::asleep;
  TimeStamp start{};
  TimeStamp end{};
  /// The task that the worker helps with, in the state `helping`. That task's event, if there is one, belongs to
  /// another worker.
  TaskId task = {};
};

/// A time in which the kernel of a nested task waited for children. Meanwhile its worker ran other tasks, or was in
/// states.
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
  /// The states, sorted by worker, then start. The states of one worker do not overlap one another, and do not overlap
  /// the worker's tasks, except for waits of their kernels.
  std::vector<TraceState> states;
  /// The waits in kernels, sorted by task, then start. The waits of one task do not overlap.
  std::vector<TraceWait> waits;
  /// The copies between memory nodes, sorted by end.
  std::vector<TraceTransfer> transfers;
  std::vector<std::string> codelets;
  /// The names have indices from 1 on; entry 0 is empty.
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
