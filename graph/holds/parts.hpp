/// The parts of data: made and replaced while no task uses them, and the tasks that name those which kernels have made.
#pragma once

#include <span>
#include <vector>

#include "graph/state/graph_state.hpp"

namespace troupe::graph {

/// Notes a task that names data, if a kernel has made these data or the data around a halo part: as long as such
/// tasks have not ended, no kernel may replace these parts. Called only if there may be nested tasks.
void note_name(DataRecord& data, Task& task);
/// Calls `note_name` for all data of the task, weak data included.
void note_names(Task& task);
/// Fails if a task that has not ended names a part of the record which a kernel has made, see `note_name`.
Result<void> check_names(const DataRecord& record);
/// Makes parts of a record that no task uses, besides tasks that wait for the calling thread, and appends their
/// handles.
Result<void> add_parts(GraphState& graph, DataRecord& record, std::span<const Block> blocks,
                       std::vector<Handle>& handles, TaskList& ready) TROUPE_REQUIRES(graph.submission_mutex);
/// Makes new parts in place of the present ones. The content of each is invalid if that of a former part is which it
/// overlaps.
DataRegistry::NewParts renew_parts(GraphState& graph, DataRecord& record, std::span<const Block> blocks)
    TROUPE_REQUIRES(graph.submission_mutex);
/// Replaces parts that nobody uses and that are refused.
std::vector<DataRecord*> replace_unused_parts(GraphState& graph, DataRecord& record, std::span<const Block> blocks)
    TROUPE_REQUIRES(graph.submission_mutex);
/// Ends the registration of a record and all below it.
void forget_data(GraphState& graph, DataRecord& record) TROUPE_REQUIRES(graph.submission_mutex);

}  // namespace troupe::graph
