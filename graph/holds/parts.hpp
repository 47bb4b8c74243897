/// The parts of data: made and replaced while no task uses them.
#pragma once

#include <span>
#include <vector>

#include "graph/data/data_record.hpp"
#include "graph/data/data_registry.hpp"
#include "graph/state/graph_state.hpp"
#include "graph/tasks/task.hpp"
#include "proto/mutex.hpp"
#include "troupe/errors.hpp"
#include "troupe/handle.hpp"

namespace troupe::graph {

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
