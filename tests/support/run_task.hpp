/// Runs single tasks as a worker would do, without a worker.
#pragma once

#include "graph/task_graph.hpp"
#include "graph/tasks/failure_log.hpp"

namespace troupe::tests {

/// Runs the CPU kernel of a task that `TaskGraph::begin` has allowed to start. Null means success.
graph::FailureLog::Cause run_kernel(const graph::TaskGraph& graph, graph::Task& task, WorkerId worker);

/// Begins, runs and completes one ready task. Appends the tasks that become ready to `ready`. Returns false if the task
/// was parked or had been cancelled.
bool run_task(graph::TaskGraph& graph, graph::Task& task, WorkerId worker, graph::TaskList& ready);

}  // namespace troupe::tests
