/// Critical path: the chain of dependent tasks that takes longest.
#pragma once

#include <chrono>
#include <cstddef>
#include <vector>

#include "troupe/trace.hpp"

namespace troupe::traces {

/// A task of the path counts as started without pause if its predecessor on the path ended at most this long before.
/// The value is several times the time that the runtime needs to start the successor of a task, and far less than a
/// wait for other tasks costs.
inline constexpr Duration kPause = std::chrono::microseconds(5);

struct CriticalPath {
  /// Indices into `Trace::events`, from the first to the last.
  std::vector<std::size_t> tasks;
  /// The sum of the tasks' durations: with tasks of these durations, no number of workers could be faster.
  Duration length{};
  /// The sum of the times between the end of a task of the path and the start of the next one, and the longest of these
  /// times.
  Duration pauses{};
  Duration longest_pause{};
  /// The sum of the durations of the tasks that started without pause, including the first task of the path.
  Duration unpaused{};
};

/// Returns the longest chain through the dependencies of the trace, by the tasks' durations. Dependencies on tasks that
/// the trace does not have, and dependencies that its times contradict, are left out. Among predecessors whose chains
/// are equally long, the one that ended last is taken; among equally long chains, the one whose last task started last.
[[nodiscard]] CriticalPath critical_path(const Trace& trace);

}  // namespace troupe::traces
