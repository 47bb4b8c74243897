/// Critical path: the chain of dependent tasks that takes longest.
#pragma once

#include <chrono>
#include <cstddef>
#include <vector>

#include "troupe/trace.hpp"

namespace troupe::traces {

/// A task of the path counts as started without pause if its predecessor on the path ended at most this long before the
/// task started. The value is several times the time that the runtime needs to start the successor of a task, and far
/// less than a wait for other tasks costs.
inline constexpr Duration kPause = std::chrono::microseconds(5);

struct CriticalPath {
  /// Indices into `Trace::events`, from the first to the last.
  std::vector<std::size_t> tasks;
  /// The sum of the tasks' durations. A run of tasks with these durations cannot be shorter, with any number of
  /// workers.
  Duration length{};
  /// The sum of the times between the end of a task of the path and the start of the next one, and the longest of these
  /// times.
  Duration pauses{};
  Duration longest_pause{};
  /// The sum of the durations of the tasks that started without pause, including the first task of the path.
  Duration unpaused{};
};

/// Returns the longest chain of dependent tasks, by the sum of their durations. A dependency is ignored if one of its
/// tasks is missing in the trace, or if the successor started before the predecessor ended. Among predecessors whose
/// chains are equally long, the one that ended last is taken; among equally long chains, the one whose last task
/// started last.
[[nodiscard]] CriticalPath critical_path(const Trace& trace);

}  // namespace troupe::traces
