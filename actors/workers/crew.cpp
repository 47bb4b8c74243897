#include "actors/workers/crew.hpp"

#include "graph/codelets/codelet_definition.hpp"
#include "graph/data/working_set.hpp"
#include "troupe/codelet.hpp"

namespace troupe::workers {

KindSet Crew::alive(const WorkerSet* workers) const {
  KindSet alive = 0;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    if (workers != nullptr && !workers->members[i]) continue;
    if (!ports[i].lost.load(std::memory_order_relaxed)) alive = static_cast<KindSet>(alive | kind_set(kinds[i]));
  }
  return alive;
}

KindSet Crew::alive(const graph::Task& task) const { return alive(only_workers(task)); }

KindSet Crew::able(const graph::Task& task) const {
  if (task.codelet == nullptr) return present;  // the task stands for a thread of the program
  const KindSet kinds = task.codelet->kinds();
  const KindSet able = kinds & present;
  const KindSet at_home = able & kOnHostMemory;
  const KindSet for_data = graph::kinds_for_data(task);
  if (for_data != kEveryKind && (kinds & for_data) != 0) return able & for_data;
  return (at_home & kThatReduce) != 0 && graph::reduces(task) ? able & kThatReduce : able;
}

void Crew::set_restricted_aside(graph::TaskList& ready) {
  graph::TaskList for_all;
  while (!ready.empty()) {
    graph::Task* task = ready.pop_front();
    const bool for_some = only_workers(*task) != nullptr;
    const KindSet kinds = restricted.several_kinds() || for_some ? able(*task) : present;
    if (kinds == 0 || (kinds == present && !for_some)) {
      for_all.push_back(task);
    } else {
      restricted.push(*task, kinds);
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
  // The workers with the next numbers are the nearest, because cores are numbered in that order.
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
    // An idle worker with a running task waits for its device, and could not help with the pieces.
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
        ports[i].lost.load(std::memory_order_relaxed) ? orphans() != nullptr : restricted.best_for(worker) != nullptr;
    if (wanted && idle.erase(worker)) return worker;
  }
  return WorkerId{};
}

}  // namespace troupe::workers
