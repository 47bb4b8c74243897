#include "graph/holds/new_holds.hpp"

#include <memory>

#include "graph/data/usable.hpp"
#include "graph/holds/named_parts.hpp"
#include "graph/new_tasks.hpp"
#include "graph/ordering.hpp"

namespace troupe::graph {

Task& allocate_hold(GraphState& graph, DataRecord& record, AccessMode mode) {
  Task& hold = allocate_task(graph, nullptr, 1);
  hold.role = TaskRole::host;
  hold.extras = std::make_unique<TaskExtras>();
  hold.has_more = true;
  set_access(hold, 0, record, mode);
  note_name(record, hold);
  return hold;
}

bool order_hold(GraphState& graph, Task& hold, TaskList& ready) {
  DependencyBuilder builder(hold, graph.memory.edges, graph.submission_caches.edges);
  try {
    order_by_data(graph, hold, builder, ready);
  } catch (...) {
    give_up_task(graph, hold, builder, ready);
    throw;
  }
  return builder.finish();
}

Task& submit_hold(GraphState& graph, DataRecord& record, AccessMode mode, TaskWaiter& waiter, TaskList& ready,
                  bool& immediately) {
  Task& hold = allocate_hold(graph, record, mode);
  hold.extras->ready_waiter = &waiter;
  immediately = order_hold(graph, hold, ready);
  return hold;
}

void note_acquired(GraphState& graph, Task& hold, DataRecord& record, AccessMode mode) {
  if (mode == AccessMode::write && graph.data.registry.any_to_check()) {
    record.visit_data([&hold](DataRecord& part) {
      if (part.content.unwritten) hold.extras->without_content.emplace_back(&part, part.handle_id());
    });
  }
  note_written(graph.data.registry, record, mode);
}

}  // namespace troupe::graph
