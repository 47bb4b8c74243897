/// The ends of registrations: after a wait, or later, when the last task has ended.
#pragma once

#include <memory>

#include "graph/state/graph_state.hpp"

namespace troupe::graph {

/// Refuses tasks on the record and its parts from now on. The thread that ends the last use then forgets the record
/// and its parts. That thread shares the state `late` with the calling thread. Returns true if no use is left: then
/// the caller calls `end_late`, without the lock.
bool release_late(GraphState& graph, DataRecord& record, const std::shared_ptr<LateRelease>& late, TaskList& ready)
    TROUPE_REQUIRES(graph.submission_mutex);
/// Ends a registration whose data no task uses any more.
void end_late(GraphState& graph, LateRelease& late) noexcept TROUPE_EXCLUDES(graph.submission_mutex);
/// Ends a registration. If `finally` is true, kernels and callbacks may also end registrations of memory that the
/// program owns, if no task uses it; if the function fails, the caller calls `abandon_data`. If `finally` is false,
/// kernels and callbacks may not end such registrations, because the outcome would depend on the speed of other
/// threads.
Result<void> end_registration(GraphState& graph, const Handle& handle, bool finally);
/// Called when `end_registration` has failed for the reason `why`, but the program frees the memory all the same.
void abandon_data(GraphState& graph, const Handle& handle, const Failure& why);

}  // namespace troupe::graph
