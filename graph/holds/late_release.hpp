/// Registrations that end without a wait.
#pragma once

#include <memory>

#include "graph/data/data_record.hpp"
#include "graph/state/graph_state.hpp"
#include "graph/state/late_releases.hpp"
#include "graph/tasks/task.hpp"
#include "proto/mutex.hpp"

namespace troupe::graph {

/// Refuses tasks on the record and its parts from now on. The thread that ends the last use then forgets the record
/// and its parts. That thread shares the state `late` with the calling thread. Returns true if no use is left: then
/// the caller calls `end_late`, without the lock.
bool release_late(GraphState& graph, DataRecord& record, const std::shared_ptr<LateRelease>& late, TaskList& ready)
    TROUPE_REQUIRES(graph.submission_mutex);
/// Ends a registration whose data no task uses any more.
void end_late(GraphState& graph, LateRelease& late) noexcept TROUPE_EXCLUDES(graph.submission_mutex);

}  // namespace troupe::graph
