/// Detects that a thread is about to wait for tasks that wait for data that the same thread holds.
#pragma once

#include "graph/data/domain.hpp"
#include "graph/state/graph_state.hpp"

namespace troupe::graph {

// All functions fail with `invalid_argument`.

/// Fails if some task waits for data that the calling thread holds.
[[nodiscard]] Result<void> check_may_wait_for_all(GraphState& graph) TROUPE_EXCLUDES(graph.submission_mutex);
/// Fails if the window is full of tasks that wait for data that the calling thread, or other threads that wait for
/// room, hold.
[[nodiscard]] Result<void> check_may_wait_for_room(GraphState& graph) TROUPE_EXCLUDES(graph.submission_mutex);
/// Does the work of `TaskGraph::check_may_wait`.
[[nodiscard]] Result<void> check_may_wait(GraphState& graph, const Future& future)
    TROUPE_EXCLUDES(graph.submission_mutex);
/// Fails if an access to the record in this mode would wait for data that the calling thread holds. `domain` is the
/// domain of the calling kernel; null in threads of the program.
[[nodiscard]] Result<void> check_may_wait(const GraphState& graph, const DataRecord& record, AccessMode mode,
                                          const Domain* domain = nullptr) TROUPE_REQUIRES(graph.submission_mutex);

}  // namespace troupe::graph
