/// New tasks: their records, and their order behind earlier tasks on the same data.
#pragma once

#include <cstddef>

#include "graph/codelets/codelet_definition.hpp"
#include "graph/data/dependencies.hpp"
#include "graph/state/graph_state.hpp"
#include "graph/tasks/task_specification.hpp"
#include "troupe/arguments.hpp"

namespace troupe::graph {

/// Takes the record of a new task from the pool. The caller sets its accesses (`set_access`) and arguments.
Task& allocate_task(GraphState& graph, const CodeletDefinition* codelet, std::size_t access_count)
    TROUPE_REQUIRES(graph.submission_mutex);
/// Does the part of `allocate_task` that tasks of recordings need, too, whose memory is not from the pool.
void initialize_task(GraphState& graph, Task& task, const CodeletDefinition* codelet, std::size_t access_count)
    TROUPE_REQUIRES(graph.submission_mutex);
/// Copies the arguments into the record of the task.
void set_arguments(Task& task, const Arguments& arguments);
/// Sets one access of the task. Mode reduce becomes commute where there are no partial results.
void set_access(Task& task, std::size_t index, DataRecord& record, AccessMode mode);
/// Returns false if the task has no options and keeps no object (`TaskSpecification::kept`); most tasks have neither.
[[nodiscard]] inline bool has_options(const GraphState& graph, const TaskSpecification& specification) {
  return &specification.options != graph.no_options || specification.kept != nullptr;
}
/// Fills the task with what the program gave: options, arguments and accesses.
void fill_task(GraphState& graph, Task& task, const TaskSpecification& specification);
/// Gives up a task whose submission throws before the task was counted. The task does nothing, ends when its
/// predecessors have ended, and counts as not submitted. Activates the tasks in `ready`.
void give_up_task(GraphState& graph, Task& task, DependencyBuilder& builder, TaskList& ready) noexcept
    TROUPE_REQUIRES(graph.submission_mutex);

/// Activates tasks that have become ready outside of a worker, if there are any.
inline void activate(GraphState& graph, TaskList& ready) noexcept {
  if (!ready.empty()) graph.host.activate(ready, WorkerId{});
}
/// Orders the task after the earlier tasks on its data. Appends combining tasks that become ready to `ready`.
void order_by_data(GraphState& graph, Task& task, DependencyBuilder& builder, TaskList& ready)
    TROUPE_REQUIRES(graph.submission_mutex);
/// Submits the task that combines the partial results of an open reduction.
void close_reduction(GraphState& graph, DataRecord& record, TaskList& ready) TROUPE_REQUIRES(graph.submission_mutex);
/// Calls `close_reduction` for all open reductions.
void close_reductions(GraphState& graph, TaskList& ready) TROUPE_REQUIRES(graph.submission_mutex);

}  // namespace troupe::graph
