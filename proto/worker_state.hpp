/// The activities of a worker, as traces show them.
#pragma once

#include <cstdint>

namespace troupe {

enum class WorkerActivity : std::uint8_t {
  /// Runs tasks, or does the work between them.
  working,
  /// Has asked another worker for tasks and waits for the answer.
  stealing,
  /// Found nothing and looks around, awake.
  searching,
  /// Sleeps until it is woken.
  asleep,
  /// Lends its thread to the cluster that its core belongs to.
  lent,
  /// Runs pieces of a task that another worker has begun.
  helping,
};
inline constexpr int kWorkerActivities = 6;

/// "working", "stealing" …
[[nodiscard]] constexpr const char* to_string(WorkerActivity state) {
  constexpr const char* kNames[kWorkerActivities] = {"working", "stealing", "searching", "asleep", "lent", "helping"};
  return kNames[static_cast<int>(state)];
}

}  // namespace troupe
