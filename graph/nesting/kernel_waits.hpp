/// The waits of kernels: for their children, for data, and for other runtimes.
#pragma once

#include "graph/state/graph_state.hpp"
#include "graph/tasks/task_owner.hpp"

namespace troupe::graph {

/// Returns the task whose kernel the calling thread runs, if this kernel may wait for its children. Fails with
/// `wait_in_kernel`.
Result<const Task*> check_waits_inside(const GraphState& graph);
/// Waits for all children of the calling kernel. Fails with the first failure among them.
Result<void> wait_for_children_here(GraphState& graph);
/// Waits for a task that belongs to the nested task of the calling kernel. Any other task is refused.
Result<void> wait_for_child(GraphState& graph, const Future& future);
/// Submits a hold for the kernel of a nested task, and waits until it is ready. The caller then does what is left of
/// `TaskGraph::acquire`: it checks the content, and notes that the thread holds the data.
Result<Task*> acquire_inside(GraphState& graph, const Handle& handle, AccessMode mode);
/// Does the work of `TaskGraph::block_in_kernel`.
void block_in_kernel(const GraphState& graph, WorkerId worker, const Task& task, BlockingWait& wait);

}  // namespace troupe::graph
