#include "actors/workers/restricted_queues.hpp"

#include <limits>
#include <string>
#include <utility>

#include "graph/codelets/codelet_definition.hpp"
#include "troupe/codelet.hpp"

namespace troupe::workers {

static_assert(kKindSets <= std::numeric_limits<KindSet>::max(), "sets can be counted");

const WorkerSet* only_workers(const graph::Task& task) {
  return task.codelet == nullptr ? nullptr : task.codelet->devices_here.workers.get();
}

Result<std::shared_ptr<const WorkerSet>> RestrictedQueues::set_of(const std::vector<bool>& members) {
  const LockGuard lock(groups_mutex_);
  const std::size_t count = groups_.load(std::memory_order_relaxed);
  for (std::size_t i = 0; i < count; ++i) {
    if (group_[i]->workers->members == members) return group_[i]->workers;
  }
  if (count == kMostGroups) {
    return Failure{ErrorCode::invalid_argument, "a runtime tells apart at most " + std::to_string(kMostGroups) +
                                                    " different sets of workers: use fewer"};
  }
  WorkerSet made{members, 0, count};
  for (std::size_t i = 0; i < kinds_.size(); ++i) {
    if (members[i]) made.kinds = static_cast<KindSet>(made.kinds | kind_set(kinds_[i]));
  }
  group_[count] = std::make_unique<Group>();
  group_[count]->workers = std::make_shared<const WorkerSet>(std::move(made));
  groups_.store(count + 1, std::memory_order_seq_cst);
  mixed_.store(true, std::memory_order_seq_cst);
  return group_[count]->workers;
}

void RestrictedQueues::push(graph::Task& task, KindSet kinds) {
  const WorkerSet* const workers = only_workers(task);
  if (workers == nullptr) {
    only_[kinds].push(&task);
    return;
  }
  count_of(*workers).fetch_add(1, std::memory_order_seq_cst);
  group_[workers->index]->only[kinds].push(&task);
}

graph::Task* RestrictedQueues::take(TaskDeque& queue) {
  graph::Task* const task = queue.pop_oldest();
  const WorkerSet* const workers = task == nullptr ? nullptr : only_workers(*task);
  if (workers != nullptr) count_of(*workers).fetch_sub(1, std::memory_order_seq_cst);
  return task;
}

void RestrictedQueues::put_back(TaskDeque& queue, graph::Task& task) {
  const WorkerSet* const workers = only_workers(task);
  if (workers != nullptr) count_of(*workers).fetch_add(1, std::memory_order_seq_cst);
  queue.push(&task);
}

TaskDeque* RestrictedQueues::best_for(WorkerId worker) {
  TaskDeque* best = nullptr;
  for_each([&](const WorkerSet* workers, TaskDeque& queue, KindSet set) {
    if ((set & kind_set(kinds_[worker.index()])) == 0) return;
    if (workers != nullptr && !workers->contains(worker)) return;
    if (best == nullptr || queue.top() > best->top()) best = &queue;
  });
  return best;
}

}  // namespace troupe::workers
