/// Kernels that call other kernels at once instead of submitting them (`GraphOptions::cutoff`).
#pragma once

#include <cstdint>
#include <optional>

#include "graph/state/graph_state.hpp"
#include "graph/tasks/call_place.hpp"
#include "graph/tasks/task_specification.hpp"

namespace troupe::graph {

/// Sets the class for which the task's time is learned (`SubtreeTimes`), and tells the calling kernel the class. Only
/// nested tasks, and children of tasks whose times are learned, get a class.
void learn_time(GraphState& graph, Task& task, const TaskSpecification& specification)
    TROUPE_REQUIRES(graph.submission_mutex);
/// Does the work of `TaskGraph::call_place`.
[[nodiscard]] CallPlace call_place(const GraphState& graph);
/// Does the work of `TaskGraph::end_call`.
Result<void> end_call(GraphState& graph, CallPlace& place, std::uint64_t got);
/// Calls the kernel at once, in place of a task, and returns a future that looks like the future of an ended task.
/// Returns nothing if the calling kernel does not belong to a small task (`MeasuredKernel`), or if the kernel must
/// become a task.
std::optional<Future> call_at_once(GraphState& graph, const TaskSpecification& specification)
    TROUPE_EXCLUDES(graph.submission_mutex);

}  // namespace troupe::graph
