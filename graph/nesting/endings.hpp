/// The end of nested tasks: children take their place, and the last child ends them.
#pragma once

#include <cstddef>

#include "graph/data/domain.hpp"
#include "graph/state/graph_state.hpp"

namespace troupe::graph {

/// Called when the kernel of a nested task has returned, or will not run. The nested task ends when its children have
/// ended.
void kernel_returned(GraphState& graph, Task& parent, WorkerId worker, TaskList& ready);
/// Called when a child has ended, and when the parent's kernel has returned. The last of these calls ends the parent.
void leave_domain(GraphState& graph, Domain& domain, std::size_t slot, WorkerId worker, TaskList& ready);
/// Ends the nested tasks in `ready` whose kernels have returned, and removes them from the list: their children have
/// ended, and so have the tasks that `waits_for_weak` made them wait for.
void end_parents(GraphState& graph, std::size_t slot, WorkerId worker, TaskList& ready);

}  // namespace troupe::graph
