#include "graph/ordering.hpp"

#include "graph/data/reduction.hpp"
#include "graph/holds/named_parts.hpp"
#include "graph/new_tasks.hpp"

namespace troupe::graph {

namespace {

/// Called for the first reducing access after other accesses, and for the first other access after reducing accesses.
void begin_or_end_reduction(GraphState& graph, DataRecord& record, TaskList& ready)
    TROUPE_REQUIRES(graph.submission_mutex) {
  if (record.dependencies.open_reduction) return close_reduction(graph, record, ready);
  graph.data.open_reductions.push_back(&record);
  record.dependencies.open_reduction = true;
}

}  // namespace

void order_by_data(GraphState& graph, Task& task, DependencyBuilder& builder, TaskList& ready) {
  for (const TaskAccess& access : task.data()) {
    const AccessMode mode = access.mode();
    access.data()->visit_tree([&](DataRecord& record) TROUPE_REQUIRES(graph.submission_mutex) {
      if (record.dependencies.open_reduction != (mode == AccessMode::reduce)) [[unlikely]]
        begin_or_end_reduction(graph, record, ready);
      builder.access(record.dependencies, mode);
    });
    if (access.data()->is_halo) [[unlikely]] {
      builder.declare_around(*access.data(),
                             [](DataRecord& record) -> DependencyState& { return record.dependencies; });
    }
  }
}

void close_reduction(GraphState& graph, DataRecord& record, TaskList& ready) {
  Task& task = allocate_task(graph, &graph.own_codelets.combine.definition(), 1);
  task.role = TaskRole::combine;
  set_arguments(task, args(&record, record.reduction->opened_without_content()));
  set_access(task, 0, record, AccessMode::read_write);
  note_name(record, task);
  DependencyBuilder builder(task, graph.memory.edges, graph.submission_caches.edges, graph.options.dependency_trace);
  try {
    builder.access(record.dependencies, AccessMode::read_write);
  } catch (...) {
    give_up_task(graph, task, builder, ready);
    throw;
  }
  record.dependencies.open_reduction = false;
  record.reduction->note_closed();
  std::erase(graph.data.open_reductions, &record);
  graph.window.note_submitted(1);
  if (builder.finish()) ready.push_back(&task);
}

void close_reductions(GraphState& graph, TaskList& ready) {
  while (!graph.data.open_reductions.empty()) close_reduction(graph, *graph.data.open_reductions.back(), ready);
}

}  // namespace troupe::graph
