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
  /// Indices into `Trace::events`, from the first to the last. A task whose kernel waits for children can occur twice:
  /// before them and after them.
  std::vector<std::size_t> tasks;
  /// For each element of `tasks`, the task's time on the path. If its child comes next on the path, this is the
  /// kernel's time until it submitted the child; if a child came before, the time since the wait for children.
  std::vector<Duration> times;
  /// The sum of the times. A run of tasks with these durations cannot be shorter, with any number of workers, if
  /// kernels waited for all tasks that `critical_path` assumes.
  Duration length{};
  /// The sum of the times between the end of a task of the path and the start of the next task, and the longest of
  /// these times.
  Duration pauses{};
  Duration longest_pause{};
  /// The sum of the times of the tasks that started without pause, including the first task of the path.
  Duration unpaused{};
};

/// Returns the longest chain of dependent tasks, by the sum of their times. A dependency is ignored if one of its tasks
/// is missing in the trace, or if the successor started before the predecessor ended. Among predecessors with equally
/// long chains, the last to end is taken; among equally long chains, the chain whose last task started last.
///
/// A child of a nested task follows the time of the parent's kernel before the submission of the child. A task that
/// waited for a whole nested task follows all tasks inside. The kernel's time after a wait follows all tasks inside
/// that had ended by then: the trace does not tell which tasks it waited for.
[[nodiscard]] CriticalPath critical_path(const Trace& trace);
[[nodiscard]] CriticalPath critical_path(const Trace& trace, const TraceIndex& index, const TaskTree& tree);

}  // namespace troupe::traces
