#include "graph/here.hpp"

#include "graph/codelets/execution_scope.hpp"
#include "graph/submission_checks.hpp"
#include "graph/task_graph.hpp"

namespace troupe::graph {

bool in_callback(const GraphState& graph, const Task& task) {
  const ExecutionScope::Place* const place = ExecutionScope::find(&graph.self);
  const bool on_worker = place != nullptr && place->worker().valid();
  const std::size_t slot = on_worker ? place->worker().index() : graph.workers.completed.outside();
  return graph.workers.callbacks.is_of(slot, task);
}

const Task* nesting_task_here(const GraphState& graph) {
  const Task* const here = ExecutionScope::task_here(&graph.self);
  if (here == nullptr || (!here->nesting.is_child && !here->nesting.may_nest && here->own_domain() == nullptr))
    return nullptr;
  // Tasks that the task's callback submits, or the destructor of its `TaskExtras::kept`, do not belong to the nested
  // task, because the nested tasks around may have ended.
  return in_callback(graph, *here) ? nullptr : here;
}

Domain* domain_here(const GraphState& graph) {
  const Task* const here = nesting_task_here(graph);
  if (here == nullptr) return nullptr;
  return here->own_domain() != nullptr ? here->own_domain() : here->outer_domain();
}

TaskReference home_here(const GraphState& graph) {
  if (!graph.nesting.any.load(std::memory_order_relaxed)) return {};
  return home_in(domain_here(graph));
}

bool is_inside_nested(GraphState& graph) {
  if (!graph.nesting.any.load(std::memory_order_relaxed)) return false;
  const LockGuard lock(graph.submission_mutex);
  return domain_here(graph) != nullptr;
}

Recording* recording_here(const GraphState& graph) {
  if (graph.gate.recording_threads.load(std::memory_order_relaxed) == 0) return nullptr;
  return ExecutionScope::find(&graph.self) == nullptr ? RecordingScope::find(&graph.self) : nullptr;
}

Result<void> check_wait(const GraphState& graph) {
  if (recording_here(graph) != nullptr) {
    return waits_in_recording();
  }
  return check_outside_kernel(graph);
}

Result<void> check_outside_kernel(const GraphState& graph) {
  if (auto here = graph.threads.home.check(); !here) return here;
  if (ExecutionScope::find(&graph.self) == nullptr) return {};
  return waits_in_kernel();
}

}  // namespace troupe::graph
