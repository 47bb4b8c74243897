/// What happened when in a runtime, as plain values.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "actors/reporting/transfer_report.hpp"
#include "proto/ids.hpp"
#include "proto/team_use.hpp"
#include "proto/units.hpp"
#include "proto/worker_state.hpp"

namespace troupe {

/// One executed task.
struct TraceEvent {
  WorkerId worker;
  /// See `Trace::codelet_of`.
  std::uint32_t codelet = 0;
  TaskId task;
  /// Of the runtime's clock; equal epochs within one runtime.
  TimeStamp start{};
  TimeStamp end{};
  /// Floating-point operations; 0 where the codelet does not say.
  double flops = 0;
  std::int32_t priority = 0;
  /// See `Trace::name_of`; 0: the task has none.
  std::uint32_t name = 0;
  bool failed = false;
  /// That the worker had: more than 1 for a cluster.
  int cores = 1;
  /// The time in which they computed, added up, see `TeamUse`. Nothing for a single core, and where it is not known:
  /// in virtual time, and of kernels that bring threads of their own.
  std::optional<Duration> used = {};

  [[nodiscard]] Duration duration() const { return end - start; }
  /// Of a cluster; all zero for a single core.
  [[nodiscard]] TeamUse team_use() const;
};

/// `after` could not start before `before` had ended. Either may be missing among the events: because it ran before
/// the trace was last taken, was cancelled, or is a wait of the program for data or a run of a recorded graph.
struct TraceDependency {
  TaskId before;
  TaskId after;

  friend auto operator<=>(const TraceDependency&, const TraceDependency&) = default;
};

/// A worker did something other than running tasks.
struct TraceState {
  WorkerId worker;
  WorkerActivity state = WorkerActivity::asleep;
  TimeStamp start{};
  TimeStamp end{};
  /// Of `helping`: the task, whose event, if there is one, is another worker's.
  TaskId task = {};
};

inline TeamUse TraceEvent::team_use() const {
  if (cores == 1) return {};
  const Duration offered = cores * duration();
  if (!used) return {{}, {}, offered};
  return {offered, std::min(*used, offered), {}};
}

struct Trace {
  /// By start, then end.
  std::vector<TraceEvent> events;
  /// By successor, then predecessor; each pair once.
  std::vector<TraceDependency> dependencies;
  /// By worker, then start. No two of one worker overlap, nor do they overlap its tasks.
  std::vector<TraceState> states;
  /// Copies between memory nodes, by end.
  std::vector<TraceTransfer> transfers;
  std::vector<std::string> codelets;
  /// From 1 on.
  std::vector<std::string> names{std::string()};
  /// Entries for which there was no room (`RuntimeOptions::trace_limit`).
  std::uint64_t dropped = 0;
  /// Every task and state that began before is there.
  TimeStamp complete_until = TimeStamp::max();

  [[nodiscard]] const std::string& codelet_of(const TraceEvent& event) const { return codelets[event.codelet]; }
  /// Empty where it has none.
  [[nodiscard]] const std::string& name_of(const TraceEvent& event) const { return names[event.name]; }
};

}  // namespace troupe
