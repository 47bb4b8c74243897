#include "graph/state/graph_state.hpp"

#include <algorithm>
#include <bit>

#include "graph/task_graph.hpp"

namespace troupe::graph {

namespace {

/// `GraphState::adapts` points to this value in graphs where every submission takes the longer way.
constinit const std::atomic<bool> always{true};

}  // namespace

GraphState::GraphState(const GraphOptions& given, GraphHost& around, TaskGraph& graph)
    : options(given),
      adapts(given.stand_ins || !given.deadlines || !given.restrictions.empty() ||
                     has_stand_ins_for_cores(given.device_kinds)
                 ? &always
                 : &HomeProcess::any_left()),
      host(around),
      self(graph),
      subtree_times(given.cutoff > Duration{} ? std::make_unique<SubtreeTimes>() : nullptr),
      // With shared workers, each completion checks for waiting threads: a worker that is busy with tasks of other
      // graphs does not become idle, so it would never wake threads that wait for this graph.
      waiting{given.shares_workers ? 1 : std::clamp<std::uint64_t>(std::bit_floor(given.window / 8), 1, 64)},
      workers(given.workers),
      ids(given.first_id, given.task_ids != nullptr),
      window(given.window, workers.completed),
      data{DataRegistry(&graph, given.handle_ids)},
      own_codelets(given.device_kinds) {
  memory.edges.prepare(submission_caches.edges);
  called.status.store(TaskStatus::succeeded, std::memory_order_relaxed);
  called.successors.store(Task::closed(), std::memory_order_relaxed);
  for (TaskCaches& caches : workers.caches) {
    memory.tasks.prepare(caches.tasks);
    memory.edges.prepare(caches.edges);
  }
}

void TaskMemory::free_more(Task& task, TaskCaches& caches) {
  if (task.extras) {
    task.extras->callback = nullptr;
    task.extras->kept = nullptr;
    task.extras->stop = {};
    task.extras->run.reset();
  }
  while (task.more_edges != nullptr) {
    EdgeBlock* block = task.more_edges;
    task.more_edges = block->next;
    edges.free(caches.edges, block);
  }
}

}  // namespace troupe::graph
