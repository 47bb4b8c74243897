/// Critical path: the chain of dependent tasks that takes longest.
#pragma once

#include <chrono>
#include <cstddef>
#include <vector>

#include "traces/analysis/task_tree.hpp"
#include "traces/analysis/trace_index.hpp"
#include "troupe/trace.hpp"

namespace troupe::traces {

/// A task of the path counts as started without pause if its predecessor on the path ended at most this long before the
/// task started. The value is several times the time that the runtime needs to start the successor of a task, and far
/// less than a wait for other tasks costs.
inline constexpr Duration kPause = std::chrono::microseconds(5);

struct CriticalPath {
  /// The tasks of the path as indices into `Trace::events`, from the first to the last. A task whose kernel waits for
  /// children can occur several times: before and after children.
  std::vector<std::size_t> tasks;
  /// For each element of `tasks`, the task's time on the path. Usually this is the time of the whole kernel. If a child
  /// of the task comes next on the path, the time ends when the kernel submits this child; if a child comes before, the
  /// time begins after the wait for children.
  std::vector<Duration> times;
  /// The sum of `times`. With any number of workers, a run of tasks with these durations takes at least this time,
  /// provided that kernels waited for all tasks for which `critical_path` assumes that they did.
  Duration length{};
  /// The times between the end of a task of the path and the start of the next task: `pauses` is their sum,
  /// `longest_pause` the longest of them.
  Duration pauses{};
  Duration longest_pause{};
  /// The sum of the elements of `times` for tasks that started without pause (`kPause`), including the first task of
  /// the path.
  Duration unpaused{};
};

/// Returns the chain of dependent tasks with the largest sum of times. A dependency is ignored if one of its tasks is
/// missing in the trace, or if the successor started before the predecessor ended. If several predecessors have equally
/// long chains, the predecessor that ended last is taken; if several whole chains are equally long, the chain whose
/// last task started last is taken.
///
/// For nested tasks, a child depends on the part of its parent's kernel before the child's submission. A task that
/// waited for a whole nested task depends on all tasks inside it. The part of a kernel after a wait depends on all
/// tasks inside that had ended by the end of the wait, because the trace does not tell for which tasks the kernel
/// waited.
[[nodiscard]] CriticalPath critical_path(const Trace& trace);
[[nodiscard]] CriticalPath critical_path(const Trace& trace, const TraceIndex& index, const TaskTree& tree);

}  // namespace troupe::traces
