/// The order among tasks that use the same data, outside of nested tasks.
#pragma once

#include "graph/data/dependencies.hpp"
#include "graph/state/graph_state.hpp"
#include "graph/tasks/task.hpp"
#include "proto/mutex.hpp"

namespace troupe::graph {

/// Orders the task after the earlier tasks on its data. Appends combining tasks that become ready to `ready`.
void order_by_data(GraphState& graph, Task& task, DependencyBuilder& builder, TaskList& ready)
    TROUPE_REQUIRES(graph.submission_mutex);
/// Submits the task that combines the partial results of an open reduction.
void close_reduction(GraphState& graph, DataRecord& record, TaskList& ready) TROUPE_REQUIRES(graph.submission_mutex);
/// Calls `close_reduction` for all open reductions.
void close_reductions(GraphState& graph, TaskList& ready) TROUPE_REQUIRES(graph.submission_mutex);

}  // namespace troupe::graph
