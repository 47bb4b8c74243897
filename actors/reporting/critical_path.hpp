/// The chain of dependent tasks that took longest.
#pragma once

#include <chrono>
#include <cstddef>
#include <vector>

#include "actors/reporting/trace.hpp"

namespace troupe::actors {

/// A task of the path counts as started without pause if its predecessor on the path ended at most this long before:
/// several times what the runtime needs to start the successor of a task, far less than what a wait for other tasks
/// costs.
inline constexpr Duration kPause = std::chrono::microseconds(5);

struct CriticalPath {
  /// Indices into `Trace::events`, from the first to the last.
  std::vector<std::size_t> tasks;
  /// The sum of their durations: no number of workers could be faster with tasks of this length.
  Duration length{};
  /// From the end of a task of the path to the start of the next one, summed up, and the longest.
  Duration pauses{};
  Duration longest_pause{};
  /// The durations of those tasks that started without pause; the first one counts as such.
  Duration unpaused{};
};

/// The longest chain through the dependencies of the trace by the tasks' durations. Dependencies on tasks that the
/// trace does not have, and those that its times contradict, are left out. Of predecessors that are equally far, the
/// one that ended last is taken, and of equally long chains the one whose last task started last.
[[nodiscard]] CriticalPath critical_path(const Trace& trace);

}  // namespace troupe::actors
