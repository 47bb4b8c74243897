/// Making holds, the tasks that stand for the program's use of data.
#pragma once

#include "graph/data/data_record.hpp"
#include "graph/state/graph_state.hpp"
#include "graph/tasks/task.hpp"
#include "graph/tasks/task_waiter.hpp"
#include "proto/mutex.hpp"
#include "troupe/access.hpp"

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

}  // namespace troupe::graph
