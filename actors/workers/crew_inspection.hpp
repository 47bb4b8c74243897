/// Views of the workers from outside.
#pragma once

#include <vector>

#include "actors/observation/stall_explanation.hpp"
#include "actors/observation/watchdog.hpp"
#include "actors/workers/crew.hpp"
#include "graph/tasks/graph_snapshot.hpp"

namespace troupe::workers {

/// Returns the tasks that the workers run now. The tasks may be followed only under the graph's submission lock. Any
/// thread may call it.
[[nodiscard]] std::vector<graph::RunningTask> running_tasks(const Crew& crew);

/// Returns which workers sleep and where ready tasks lie, without the names of devices. Any thread may call it. Each
/// number is read at a moment of its own.
[[nodiscard]] observation::CrewSnapshot look_at(const Crew& crew);

/// Returns a value that changes whenever a task starts or ends.
[[nodiscard]] observation::Pulse pulse_of(const Crew& crew);

}  // namespace troupe::workers
