/// The validity of data: if a writer fails, its data have no valid content until a task overwrites them.
#pragma once

#include "graph/data/data_record.hpp"
#include "graph/data/domain.hpp"
#include "graph/recording/recording.hpp"
#include "graph/state/graph_state.hpp"
#include "graph/tasks/failure_log.hpp"
#include "graph/tasks/task.hpp"
#include "proto/mutex.hpp"

namespace troupe::graph {

/// The reason why a task does not run, and the first failure that led to it. A chain of cancelled tasks passes on
/// that first failure, so that the messages do not grow along it. If both are empty, the task may run.
struct Refusal {
  FailureLog::Cause cause;
  FailureLog::Cause origin;
};

/// Marks the content of the record as not valid, because of `cause`.
void poison(GraphState& graph, DataRecord& record, const FailureLog::Cause& cause);
/// Called when the task has ended: marks the data that it writes as valid if it succeeded; otherwise as invalid because
/// of `why`.
void settle_data(GraphState& graph, Task& task, bool succeeded, const FailureLog::Cause& why);
/// Marks as valid the data that a nested task is about to overwrite. Children that fail mark the data that they write
/// as invalid again.
void cure_written(GraphState& graph, const Task& parent);
/// Called when the tasks of the run will not run. Marks as invalid all data that these tasks would have written.
void poison_written(GraphState& graph, const RecordingRun& run, const FailureLog::Cause& cause);
/// Called when the elements of a part become its parent's own: the parent's content is invalid if the part's is.
void return_poison(GraphState& graph, const DataRecord& part) TROUPE_REQUIRES(graph.submission_mutex);
/// Adds to `domain.unwritten` the parts of weak data in mode write that have no content: the children have to write
/// them.
void note_unwritten(GraphState& graph, Domain& domain) TROUPE_REQUIRES(graph.submission_mutex);
/// Marks as invalid the parts in `domain.unwritten` that no child writes. Called when the kernel has returned.
void poison_unwritten(GraphState& graph, Domain& domain) TROUPE_REQUIRES(graph.submission_mutex);
/// Returns why a task must not begin because it uses data whose memory was freed; null if it may begin.
[[nodiscard]] FailureLog::Cause why_abandoned(const GraphState& graph, const Task& task);
/// Returns why a task that reads its data must not begin: some of them have no valid content.
[[nodiscard]] Refusal why_invalid(const GraphState& graph, const Task& task);

}  // namespace troupe::graph
