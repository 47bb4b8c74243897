/// Waiting tasks: which tasks in flight wait for given tasks, directly or not.
#pragma once

#include <cstddef>
#include <unordered_map>
#include <vector>

#include "graph/state/graph_state.hpp"

namespace troupe::graph {

struct WaitingTasks {
  /// Maps each task that waits to one of the given tasks for which it waits; these are mapped to themselves.
  std::unordered_map<const Task*, const Task*> awaited;
  /// False if there may be more such tasks, because only some of them are looked at.
  bool complete = true;
};

/// Finds the tasks that wait for these tasks. A task waits for its predecessors, a nested task for its children, and a
/// task whose kernel waits for another task (`OtherWaits`) for that one. Nested tasks around the given tasks are not
/// found.
[[nodiscard]] WaitingTasks waiting_for(const GraphState& graph, const std::vector<const Task*>& tasks)
    TROUPE_REQUIRES(graph.submission_mutex);

}  // namespace troupe::graph
