/// Tasks that run in the thread of a kernel while the kernel waits for them.
#include "actors/workers/worker_core.hpp"
#include "graph/data/domain.hpp"

namespace troupe::workers {

using graph::Task;

Task* WorkerCore::take_inside(const graph::Domain& domain) {
  // If data have to be fetched for this device, all tasks are left to later calls of `next`.
  if (options_.fetches) return nullptr;
  while (Task* const task = find_inside(domain)) {
    if (!begin(*task)) continue;
    if (shares_ != nullptr) shares_->started(options_.self, *task);
    ++running_;
    return task;
  }
  return nullptr;
}

Task* WorkerCore::find_inside(const graph::Domain& domain) {
  const auto inside = [&domain](const Task& task) { return graph::is_inside(task, domain); };
  if (handed_over_ != nullptr) {
    Task* const task = std::exchange(handed_over_, nullptr);
    if (inside(*task)) return task;
    port_.deque.push(task);
  }
  if (options_.in_order) return port_.deque.pop_oldest_if(inside);
  if (Task* const task = port_.deque.pop_newest_if(inside)) return task;
  if (crew_.plan.shared_queue) {
    look_at_arrivals();
    return crew_.entry.pop_oldest_if(inside);
  }
  if (!crew_.steals) return nullptr;
  // Another worker may have stolen a child of this kernel, and the child may have submitted tasks to that worker's
  // deque.
  for (WorkerPort& port : crew_.ports) {
    if (Task* const task = port.deque.pop_oldest_if(inside)) return task;
  }
  return nullptr;
}

}  // namespace troupe::workers
