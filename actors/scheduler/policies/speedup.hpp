/// The speed of a GPU relative to a core, and of one core relative to another, task by task.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "actors/scheduler/policy.hpp"
#include "graph/codelets/codelet_definition.hpp"
#include "troupe/devices.hpp"

namespace troupe::scheduler {

/// Returns the least time of a task on cores or, if `on_accelerators` is true, on accelerators; infinity if none of
/// these can run the task.
[[nodiscard]] inline double least_time_s(const ReadyTask& task, const Snapshot& snapshot, bool on_accelerators) {
  double least = std::numeric_limits<double>::infinity();
  for (const WorkerState& worker : snapshot.workers) {
    if (is_accelerator(worker.kind) != on_accelerators || !task.codelet->runs_on(worker.kind, worker.id)) continue;
    const Duration time = snapshot.predictions->execution(task, worker.id);
    if (time != ExecutionTimes::kNever) least = std::min(least, seconds(time));
  }
  return least;
}

/// Returns the time on the fastest core divided by the time on the fastest GPU. Among clusters of mixed sizes, the
/// fastest is mostly the largest. Returns 1 if no device can run the task; infinity if no core can, 0 if no GPU can.
[[nodiscard]] inline double speedup(const ReadyTask& task, const Snapshot& snapshot) {
  const double cpu = least_time_s(task, snapshot, false);
  const double gpu = least_time_s(task, snapshot, true);
  const double never = std::numeric_limits<double>::infinity();
  if (gpu == never) return cpu == never ? 1 : 0;
  if (cpu == never) return never;
  return gpu > 0 ? cpu / gpu : 1;
}

/// Fills `cores` with the workers that are no accelerators, the fastest at the task first; equally fast workers are
/// sorted by id. Workers differ in speed if they are clusters of different sizes.
inline void fastest_cores_first(const ReadyTask& task, const Snapshot& snapshot,
                                std::vector<const WorkerState*>& cores) {
  cores.clear();
  for (const WorkerState& worker : snapshot.workers) {
    if (!is_accelerator(worker.kind)) cores.push_back(&worker);
  }
  const auto time = [&](const WorkerState* core) { return snapshot.predictions->execution(task, core->id); };
  if (!std::ranges::is_sorted(cores, {}, time)) std::ranges::stable_sort(cores, {}, time);
}

}  // namespace troupe::scheduler
