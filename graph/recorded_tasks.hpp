/// The tasks of recordings: how they are made while a thread records.
#pragma once

#include <memory>

#include "graph/recording/recording.hpp"
#include "graph/state/graph_state.hpp"
#include "graph/tasks/task_specification.hpp"
#include "proto/mutex.hpp"
#include "troupe/errors.hpp"
#include "troupe/handle.hpp"

namespace troupe::graph {

/// Does the work of `TaskGraph::begin_recording`.
Result<std::unique_ptr<RecordingScope>> begin_recording(GraphState& graph, Recording& recording);
/// Does the work of `TaskGraph::seal_recording`.
void seal_recording(GraphState& graph, Recording& recording);
/// Adds a task to a recording.
Result<Future> record_task(GraphState& graph, Recording& recording, const TaskSpecification& specification);
/// Adds the task that combines the partial results of an open reduction of the recording.
void close_recorded_reduction(GraphState& graph, Recording& recording, DataRecord& record)
    TROUPE_REQUIRES(graph.submission_mutex);

}  // namespace troupe::graph
