/// Holds: the program's use of data, from the wait to the end.
#pragma once

#include "graph/state/graph_state.hpp"
#include "graph/tasks/task_waiter.hpp"

namespace troupe::graph {

/// Makes a hold, which the caller orders.
Task& allocate_hold(GraphState& graph, DataRecord& record, AccessMode mode) TROUPE_REQUIRES(graph.submission_mutex);
/// Orders a hold after the tasks that use its data. Returns true if all these tasks have ended.
bool order_hold(GraphState& graph, Task& hold, TaskList& ready) TROUPE_REQUIRES(graph.submission_mutex);
/// Submits a hold (see `acquire`) for the calling thread. The thread then waits until the hold is ready.
Task& submit_hold(GraphState& graph, DataRecord& record, AccessMode mode, TaskWaiter& waiter, TaskList& ready,
                  bool& immediately) TROUPE_REQUIRES(graph.submission_mutex);
/// Marks the data as written by the hold. If the hold is given up, data that had no content count as poisoned.
void note_acquired(GraphState& graph, Task& hold, DataRecord& record, AccessMode mode)
    TROUPE_REQUIRES(graph.submission_mutex);
/// Submits a hold for a thread of the program, and notes that it writes the data if the mode does. Sets `immediately`
/// if the hold is ready. Fails if the data cannot be used in this mode, or if the wait would never end.
Result<Task*> begin_hold(GraphState& graph, const Handle& handle, AccessMode mode, TaskWaiter& waiter, TaskList& ready,
                         bool& immediately) TROUPE_EXCLUDES(graph.submission_mutex);
/// Waits, in a thread of the program, until it may use the data in this mode. The caller then calls `take_hold`.
Result<Task*> acquire_outside(GraphState& graph, const Handle& handle, AccessMode mode);
/// Waits for data. After a failure the hold is not the caller's any more: it has ended, or ends when it is ready.
Result<void> wait_for_hold(GraphState& graph, Task* hold, TaskWaiter& waiter, TaskList& ready, bool immediately,
                           WaitKind kind);
/// Gives the program the data that it has waited for. Fails if the content is not valid.
Result<Task*> take_hold(GraphState& graph, Task* hold, AccessMode mode);
/// Ends a hold whose data the program has used.
void give_back(GraphState& graph, Task* hold);
/// Ends a hold that is ready and that no thread of the program wants any more.
void give_back_unused(GraphState& graph, Task& hold);

}  // namespace troupe::graph
