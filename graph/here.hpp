/// These functions say what the calling thread runs in a graph, and what it therefore may do.
#pragma once

#include "graph/data/domain.hpp"
#include "graph/state/graph_state.hpp"

namespace troupe::graph {

/// Returns true if the calling thread runs the task's callback, false if it runs the task's kernel.
[[nodiscard]] bool in_callback(const GraphState& graph, const Task& task);
/// Returns the task whose kernel the calling thread runs, if it is nested or a child; else null.
[[nodiscard]] const Task* nesting_task_here(const GraphState& graph);
/// Returns the domain of the data that the calling thread registers; null if it runs no kernel inside of a nested
/// task.
[[nodiscard]] Domain* domain_here(const GraphState& graph);
/// Returns the home (`DataRecord::home`) of data that the calling thread registers.
[[nodiscard]] TaskReference home_here(const GraphState& graph);
/// Returns true if the calling thread runs the kernel of a nested task or of a child.
[[nodiscard]] bool is_inside_nested(GraphState& graph) TROUPE_EXCLUDES(graph.submission_mutex);
/// Returns the recording that the calling thread makes, or null. Returns null inside kernels: in a single-threaded
/// run, the recording thread may have to run a kernel, whose submissions are not recorded.
[[nodiscard]] Recording* recording_here(const GraphState& graph);
/// Fails if the calling thread must not wait: in a kernel or callback, or while it records.
Result<void> check_wait(const GraphState& graph);
/// Fails in a kernel or callback, and in a process other than the graph's.
Result<void> check_outside_kernel(const GraphState& graph);

}  // namespace troupe::graph
