/// Crew inspection: reports on the workers for other threads.
#pragma once

#include <vector>

#include "actors/observation/stall_explanation.hpp"
#include "actors/observation/watchdog.hpp"
#include "actors/workers/crew.hpp"
#include "graph/tasks/graph_snapshot.hpp"

namespace troupe::workers {

/// Returns the tasks that the workers run now. The pointers to these tasks may be used only under the graph's
/// submission lock. May be called from any thread.
[[nodiscard]] std::vector<graph::RunningTask> running_tasks(const Crew& crew);
/// Returns the tasks that the workers run now, and those whose kernels wait for another runtime. The pointers may be
/// used as those of `running_tasks`.
[[nodiscard]] std::vector<graph::RunningTask> running_and_outside_tasks(const Crew& crew);
/// Returns the tasks of one graph that the workers run now, and the tasks of this graph whose kernels wait. The
/// pointers may be used as those of `running_tasks`.
[[nodiscard]] std::vector<graph::RunningTask> running_and_suspended_tasks(const Crew& crew,
                                                                          const graph::TaskGraph& graph);

/// Returns which workers sleep and where ready tasks wait, without the names of devices. May be called from any thread.
/// The numbers may contradict each other, because they are read one after the other.
[[nodiscard]] observation::CrewSnapshot look_at(const Crew& crew);

/// Returns a value that changes whenever a task starts or ends.
[[nodiscard]] observation::Pulse pulse_of(const Crew& crew);

}  // namespace troupe::workers
