/// A look at the workers from outside.
#pragma once

#include <vector>

#include "actors/observation/stall_explanation.hpp"
#include "actors/observation/watchdog.hpp"
#include "actors/workers/crew.hpp"
#include "graph/tasks/graph_snapshot.hpp"

namespace troupe::workers {

/// What the workers run now. The tasks may be followed under the graph's submission lock only. Any thread.
[[nodiscard]] std::vector<graph::RunningTask> running_tasks(const Crew& crew);

/// Who sleeps, and where ready tasks lie; without devices' names. Any thread; each number is of its own moment.
[[nodiscard]] observation::CrewSnapshot look_at(const Crew& crew);

/// Changes whenever a task starts or ends.
[[nodiscard]] observation::Pulse pulse_of(const Crew& crew);

}  // namespace troupe::workers
