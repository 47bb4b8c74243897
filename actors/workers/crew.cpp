#include "actors/workers/crew.hpp"

#include <limits>
#include <string>
#include <utility>

#include "graph/codelets/codelet_definition.hpp"
#include "graph/data/working_set.hpp"
#include "troupe/codelet.hpp"

namespace troupe::workers {

static_assert(kKindSets <= std::numeric_limits<KindSet>::max(), "sets can be counted");

namespace {

/// Returns the only workers that may run the task; null: all may.
const WorkerSet* workers_of(const graph::Task& task) {
  return task.codelet == nullptr ? nullptr : task.codelet->devices_here.workers.get();
}

}  // namespace

KindSet Crew::alive(const WorkerSet* workers) const {
  KindSet alive = 0;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    if (workers != nullptr && !workers->members[i]) continue;
    if (!ports[i].lost.load(std::memory_order_relaxed)) alive = static_cast<KindSet>(alive | kind_set(kinds[i]));
  }
  return alive;
}

KindSet Crew::alive(const graph::Task& task) const { return alive(workers_of(task)); }

Result<std::shared_ptr<const WorkerSet>> Crew::set_of(const std::vector<bool>& members) {
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
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    if (members[i]) made.kinds = static_cast<KindSet>(made.kinds | kind_set(kinds[i]));
  }
  group_[count] = std::make_unique<Group>();
  group_[count]->workers = std::make_shared<const WorkerSet>(std::move(made));
  groups_.store(count + 1, std::memory_order_seq_cst);
  mixed_.store(true, std::memory_order_seq_cst);
  return group_[count]->workers;
}

void Crew::set_aside(graph::Task& task, KindSet kinds) {
  const WorkerSet* const workers = workers_of(task);
  if (workers == nullptr) {
    only_[kinds].push(&task);
    return;
  }
  set_aside_[workers->index / kCountedTogether].fetch_add(1, std::memory_order_seq_cst);
  group_[workers->index]->only[kinds].push(&task);
}

graph::Task* Crew::take_aside(TaskDeque& queue) {
  graph::Task* const task = queue.pop_oldest();
  const WorkerSet* const workers = task == nullptr ? nullptr : workers_of(*task);
  if (workers != nullptr) set_aside_[workers->index / kCountedTogether].fetch_sub(1, std::memory_order_seq_cst);
  return task;
}

void Crew::put_back_aside(TaskDeque& queue, graph::Task& task) {
  const WorkerSet* const workers = workers_of(task);
  if (workers != nullptr) set_aside_[workers->index / kCountedTogether].fetch_add(1, std::memory_order_seq_cst);
  queue.push(&task);
}

KindSet Crew::able(const graph::Task& task) const {
  if (task.codelet == nullptr) return present;  // it stands for a thread of the program
  const KindSet kinds = task.codelet->kinds();
  const KindSet able = kinds & present;
  const KindSet at_home = able & kOnHostMemory;
  // A whole that has parts lies in one piece in host memory only.
  if ((kinds & kOnHostMemory) != 0 && graph::find_whole_of_parts(task) != nullptr) return at_home;
  return (at_home & kThatReduce) != 0 && graph::reduces(task) ? able & kThatReduce : able;
}

template <class Look>
void Crew::for_each_queue(Look look) {
  // Kinds that are not present cost nothing.
  const auto look_at = [&](const WorkerSet* workers, ByKinds& only, KindSet among) {
    for (KindSet set = 1; set < kKindSets; ++set) {
      if ((set & ~among) == 0 && only[set].size() > 0) look(workers, only[set], set);
    }
  };
  look_at(nullptr, only_, present);
  const std::size_t count = groups_.load(std::memory_order_seq_cst);
  for (std::size_t first = 0; first < count; first += kCountedTogether) {
    if (set_aside_[first / kCountedTogether].load(std::memory_order_seq_cst) == 0) continue;
    for (std::size_t i = first; i < std::min(count, first + kCountedTogether); ++i) {
      look_at(group_[i]->workers.get(), group_[i]->only, group_[i]->workers->kinds);
    }
  }
}

TaskDeque* Crew::restricted_for(WorkerId worker) {
  TaskDeque* best = nullptr;
  for_each_queue([&](const WorkerSet* workers, TaskDeque& queue, KindSet set) {
    if ((set & kind_set(kinds[worker.index()])) == 0) return;
    if (workers != nullptr && !workers->contains(worker)) return;
    if (best == nullptr || queue.top() > best->top()) best = &queue;
  });
  return best;
}

TaskDeque* Crew::orphans() {
  TaskDeque* found = nullptr;
  for_each_queue([&](const WorkerSet* workers, TaskDeque& queue, KindSet set) {
    if ((set & alive(workers)) == 0) found = &queue;
  });
  return found;
}

void Crew::set_restricted_aside(graph::TaskList& ready) {
  graph::TaskList for_all;
  while (!ready.empty()) {
    graph::Task* task = ready.pop_front();
    const bool for_some = workers_of(*task) != nullptr;
    const KindSet kinds = several_kinds_ || for_some ? able(*task) : present;
    if (kinds == 0 || (kinds == present && !for_some)) {
      for_all.push_back(task);
    } else {
      set_aside(*task, kinds);
    }
  }
  ready.append(for_all);
}

bool Crew::set_apart(graph::TaskList& ready, TaskDeque* activation) {
  if (mixed() && activation == nullptr) set_restricted_aside(ready);
  if (ready.empty()) return false;
  if (shares != nullptr && shares->contended()) {
    shares->put_into_turns(ready);
    return shares->pass_on();
  }
  if (activation == nullptr) return false;
  activation->push(ready);
  return true;
}

SharedPieces* Crew::pieces_for(WorkerId worker) const {
  if (tasks_of_pieces.load(std::memory_order_seq_cst) == 0) return nullptr;
  // The next workers are the nearest, because cores are numbered in that order.
  for (std::size_t i = 1; i < ports.size(); ++i) {
    SharedPieces* const shared = ports[(worker.index() + i) % ports.size()].board.open_task();
    if (shared != nullptr && shared->has_some_for(kinds[worker.index()], worker)) return shared;
  }
  return nullptr;
}

WorkerId Crew::take_idle_for(const SharedPieces& shared, WorkerId near) {
  if (idle.empty()) return WorkerId{};
  for (std::size_t i = 1; i < ports.size(); ++i) {
    const WorkerId other(static_cast<std::uint32_t>((near.index() + i) % ports.size()));
    if (!idle.contains(other) || !shared.has_some_for(kinds[other.index()], other)) continue;
    // A worker that waits for its device could not help.
    if (ports[other.index()].running.load(std::memory_order_relaxed) != nullptr) continue;
    if (idle.erase(other)) return other;
  }
  return WorkerId{};
}

WorkerId Crew::take_idle_for_restricted() {
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const WorkerId worker(static_cast<std::uint32_t>(i));
    if (!idle.contains(worker)) continue;
    const bool wanted =
        ports[i].lost.load(std::memory_order_relaxed) ? orphans() != nullptr : restricted_for(worker) != nullptr;
    if (wanted && idle.erase(worker)) return worker;
  }
  return WorkerId{};
}

}  // namespace troupe::workers
