/// Completion: the way of a task from ready to ended, and the release of its successors.
#pragma once

#include <cstddef>

#include "graph/data/domain.hpp"
#include "graph/data/reduction.hpp"
#include "graph/state/graph_state.hpp"
#include "graph/tasks/failure_log.hpp"
#include "graph/tasks/task.hpp"
#include "proto/mutex.hpp"
#include "troupe/handle.hpp"
#include "troupe/ids.hpp"

namespace troupe::graph {

/// Tells a worker how to proceed with a task that it took from a deque.
enum class Begin {
  run,
  /// The task no longer belongs to the worker: it waits for a commute lock.
  parked,
  /// The task was cancelled and has been completed.
  ended,
};

struct Completion {
  TaskStatus status = TaskStatus::succeeded;
  /// `cause` says why the task did not succeed; `poison` says why the data that the task should have written are not
  /// valid.
  FailureLog::Cause cause;
  FailureLog::Cause poison;
  /// The worker's index, or `GraphState::workers.completed.outside()`.
  std::size_t slot = 0;
  WorkerId worker;
  /// True if the tasks of a recording's run, or the children of a nested task, have already recorded which data are
  /// valid.
  bool settled = false;
};

/// Returns true if a quick test shows that nothing keeps a ready task from running. Most tasks pass the test.
[[nodiscard]] inline bool is_plain(const GraphState& graph, const Task& task) {
  const bool runs = task.role <= TaskRole::recorded;
  const bool belongs = task.nesting.is_child && graph.nesting.any_cancelled.load(std::memory_order_relaxed);
  return runs && !task.commute.wants && !belongs &&
         task.withdrawn.load(std::memory_order_relaxed) == Withdrawal::none &&
         task.id.load(std::memory_order_relaxed) >= graph.cancelled.below() && !graph.failures.any_poison();
}
/// Does the work of `begin_task` for tasks that are not plain.
Begin begin_special(GraphState& graph, Task& task, WorkerId worker, TaskList& ready);
/// Called in place of `begin_task` for a task that has already run (`TaskGraph::begin_after_running`).
Begin begin_after_running(GraphState& graph, Task& task, WorkerId worker, TaskList& ready);
/// Ends a task whose kernel has returned (then `cause` is null) or failed. `task` must not be used afterwards.
void complete_task(GraphState& graph, Task& task, const FailureLog::Cause& cause, WorkerId worker, TaskList& ready);
/// Ends a task in the way that `completion` says, and the nested tasks that end with it.
void finish_task(GraphState& graph, Task& task, const Completion& completion, TaskList& ready);
/// Does the work of `finish_task` for this task alone. Returns the domain that the task belongs to, which `finish_task`
/// then tells of the end; null if there is none.
Domain* finish_alone(GraphState& graph, Task& task, const Completion& completion, TaskList& ready);
/// Releases the tasks that waited for `task`. `newest` is the head of its list of successors, which is closed.
void release_successors(GraphState& graph, const Task& task, Edge* newest, TaskStatus status, std::size_t slot,
                        TaskList& ready);
/// Ends a `host` task that is ready and that no thread wants any more.
void end_unused(GraphState& graph, Task& hold, std::size_t slot, TaskList& ready);
/// Ends the task of a discard, which has become ready. Appends the tasks that become ready.
void end_discard(GraphState& graph, Task& hold, std::size_t slot, TaskList& ready);

/// Decides whether a ready task may start. Appends the tasks that become ready to `ready`.
inline Begin begin_task(GraphState& graph, Task& task, WorkerId worker, TaskList& ready) {
  if (task.is_recorded()) static_cast<RecordedTask&>(task).prepare();
  return is_plain(graph, task) ? Begin::run : begin_special(graph, task, worker, ready);
}

/// Calls `end` with the completion slot of threads that are no workers, and with a list for the tasks that become
/// ready, which are activated then.
template <class End>
void end_outside(GraphState& graph, const End& end) TROUPE_EXCLUDES(graph.outside_mutex) {
  TaskList ready;
  {
    const RemovedUnderLock removed;
    const LockGuard lock(graph.outside_mutex);
    end(graph.workers.completed.outside(), ready);
  }
  if (!ready.empty()) graph.host.activate(ready, WorkerId{});
}

}  // namespace troupe::graph
