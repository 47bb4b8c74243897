#include "graph/holds/late_release.hpp"

#include <atomic>

#include "graph/data/data_registry.hpp"
#include "graph/holds/new_holds.hpp"
#include "graph/holds/parts.hpp"
#include "graph/tasks/task_waiter.hpp"

namespace troupe::graph {

bool release_late(GraphState& graph, DataRecord& record, const std::shared_ptr<LateRelease>& late, TaskList& ready) {
  Task& hold = allocate_hold(graph, record, AccessMode::read_write);
  hold.extras->own_waiter = std::make_unique<TaskWaiter>([&graph, late] { end_late(graph, *late); });
  hold.extras->ready_waiter = hold.extras->own_waiter.get();
  late->hold = &hold;
  late->record = &record;
  late->bytes = late_bytes_of(record);
  const bool unused = order_hold(graph, hold, ready);
  record.visit_family([](DataRecord& part) { part.refuse(true); });
  graph.data.late.add(*late);
  return unused;
}

void end_late(GraphState& graph, LateRelease& late) noexcept {
  // These are declared before the lock guard, so they are destroyed after the lock is released: freeing megabytes takes
  // long, and the functions of a reduction may own data of this graph.
  std::shared_ptr<void> memory;
  RemovedReductions removed;
  const LockGuard lock(graph.submission_mutex);
  memory = late.record->owned;
  graph.data.late.remove(late);
  forget_data(graph, *late.record);
  graph.data.registry.take_removed(removed);
  Task& hold = *late.hold;
  hold.status.store(TaskStatus::succeeded, std::memory_order_release);
  // No task can wait for the hold, because tasks on its data were refused from its submission on.
  hold.successors.store(Task::closed(), std::memory_order_release);
  graph.memory.free_more(hold, graph.submission_caches);
  graph.memory.tasks.free(graph.submission_caches.tasks, &hold);
  late.done = true;
  // This thread may have the lock of `end_outside`, which a function of a reduction would take again.
  RemovedUnderLock::take(removed);
}

}  // namespace troupe::graph
