/// Recordings: how tasks are recorded, and how runs begin and end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "graph/completion.hpp"
#include "graph/recording/rebinding.hpp"
#include "graph/state/graph_state.hpp"
#include "graph/tasks/task_specification.hpp"

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
/// Does the work of `TaskGraph::replay`.
Result<Future> replay(GraphState& graph, const std::shared_ptr<Recording>& recording,
                      std::span<const Rebinding> rebindings, std::uint64_t tag);
/// Begins a run that has become ready, whose tasks become ready then.
Begin begin_replay(GraphState& graph, Task& task, WorkerId worker, TaskList& ready);
/// Begins a nested task of a recording: submits a nested task that stands for it in this run.
Begin begin_recorded_nested(GraphState& graph, RecordedTask& task, TaskList& ready)
    TROUPE_EXCLUDES(graph.submission_mutex);
/// Called when the last task of a run has ended.
void end_replay(GraphState& graph, Recording& recording, std::size_t slot, WorkerId worker, TaskList& ready);

}  // namespace troupe::graph
