/// Changes of data that wait until no task uses them.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "graph/state/graph_state.hpp"
#include "graph/tasks/task_waiter.hpp"

namespace troupe::graph {

/// Changes a record; appends the tasks that become ready. Called under the submission lock.
using Change = std::function<Result<void>(DataRecord&, TaskList& ready)>;

/// Waits until no task uses the whole that the handle is part of. Then calls `change` for the record of the handle,
/// before any task that was submitted during the wait can begin. If `releasing` is true, tasks on the handle and its
/// parts are refused from now on.
Result<void> change_undisturbed(GraphState& graph, const Handle& handle, bool releasing, const Change& change);
/// `change_undisturbed` calls `hold_whole` before the wait, and `change_held` after the wait.
Result<Task*> hold_whole(GraphState& graph, const Handle& handle, bool releasing, TaskWaiter& waiter, TaskList& ready,
                         bool& immediately);
Result<void> change_held(GraphState& graph, Task* hold, const Handle& handle, bool releasing, const Change& change);
/// If `releasing` is true, tasks on the handle and its parts are refused from now on; if false, they are allowed
/// again.
void announce_release(GraphState& graph, const Handle& handle, bool releasing) TROUPE_REQUIRES(graph.submission_mutex);
/// Copies data back to host memory before they are forgotten (`GraphHost::bring_home`). The caller holds the whole.
/// If the content cannot be copied, the release continues, and the next wait for everything reports the failure.
Result<void> bring_home_to_release(GraphState& graph, DataRecord& released);
/// Returns the change of `TaskGraph::partition` outside of kernels: the program must not divide data of a graph that it
/// records. The arguments live as long as the change.
[[nodiscard]] Change parts_to_add(GraphState& graph, std::span<const Block> blocks, std::vector<Handle>& handles);
/// Returns the change of `TaskGraph::set_reduction`. The methods live as long as the change.
[[nodiscard]] Change reduction_to_add(GraphState& graph, ReductionMethods& methods);
/// Takes the methods if it succeeds. Otherwise the caller destroys them, without the lock: they are the program's.
Result<void> add_reduction(GraphState& graph, DataRecord& record, ReductionMethods& methods)
    TROUPE_REQUIRES(graph.submission_mutex);

}  // namespace troupe::graph
