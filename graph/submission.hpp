/// Submission: turns a call into a task with its predecessors.
#pragma once

#include "graph/state/graph_state.hpp"
#include "graph/tasks/task_specification.hpp"
#include "troupe/errors.hpp"
#include "troupe/handle.hpp"

namespace troupe::graph {

/// Does the work of `TaskGraph::submit`.
Result<Future> submit(GraphState& graph, const TaskSpecification& specification);
/// Submits a task without restrictions: every device that the codelet has an implementation for may run it.
Result<Future> submit_unrestricted(GraphState& graph, const TaskSpecification& specification);

}  // namespace troupe::graph
