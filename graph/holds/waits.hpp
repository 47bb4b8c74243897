/// The waits of threads of the program for tasks.
#pragma once

#include "graph/state/graph_state.hpp"
#include "graph/tasks/calling_thread.hpp"
#include "graph/tasks/task_waiter.hpp"

namespace troupe::graph {

/// Returns how the task ended, or `pending` if it has not.
[[nodiscard]] TaskStatus status_of(const GraphState& graph, const Future& future);
/// Blocks, or handles events in a single-threaded run, until `waiter` is signalled. In a single-threaded run it fails
/// if no event is left that could signal `waiter`. Also fails if `interrupt`, which may be null, gives up the wait.
Result<void> block_until(GraphState& graph, TaskWaiter& waiter, WaitInterrupt* interrupt);
/// Makes the end of a task signal `waiter`. Returns null if the task has ended; else the block that has the edge. The
/// caller gives the block back with `stop_hearing`.
[[nodiscard]] EdgeBlock* hear_of_end(GraphState& graph, const Future& future, TaskWaiter& waiter)
    TROUPE_EXCLUDES(graph.submission_mutex);
void stop_hearing(GraphState& graph, EdgeBlock* block) TROUPE_EXCLUDES(graph.submission_mutex);
/// Does the work of `TaskGraph::wait_until_ended`.
Result<void> wait_until_ended(GraphState& graph);
/// Does the work of `TaskGraph::combine_open_reductions`.
bool combine_open_reductions(GraphState& graph);
/// Waits until fewer tasks are in flight (`GraphOptions::window`); called if `surely_has_room` is false.
Result<void> wait_for_room(GraphState& graph);

/// Waits until every task has ended. Fails if some of them wait for data that the calling thread holds.
Result<void> wait_for_all(GraphState& graph);
/// Waits until the task has ended. Fails with the task's failure, or with `wait_in_kernel`.
Result<void> wait_for_task(GraphState& graph, const Future& future);

}  // namespace troupe::graph
