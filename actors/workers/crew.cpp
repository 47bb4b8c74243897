#include "actors/workers/crew.hpp"

#include <limits>

#include "graph/codelets/codelet.hpp"
#include "graph/data/working_set.hpp"

namespace troupe::workers {

static_assert(kKindSets <= std::numeric_limits<KindSet>::max(), "sets can be counted");

KindSet Crew::alive() const {
  KindSet alive = 0;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    if (!ports[i].lost.load(std::memory_order_relaxed)) alive = static_cast<KindSet>(alive | kind_set(kinds[i]));
  }
  return alive;
}

KindSet Crew::able(const graph::Task& task) const {
  if (task.codelet == nullptr) return present;  // stands for a thread of the program
  const KindSet kinds = task.codelet->kinds();
  const KindSet able = kinds & present;
  const KindSet at_home = able & kOnHostMemory;
  // A whole lies in one piece in host memory only.
  if ((kinds & kOnHostMemory) != 0 && graph::find_whole_of_parts(task) != nullptr) return at_home;
  return at_home != 0 && graph::reduces(task) ? able & kThatReduce : able;
}

TaskDeque* Crew::restricted_for(DeviceKind kind) {
  TaskDeque* best = nullptr;
  for (KindSet set = 1; set < kKindSets; ++set) {
    // Kinds that are not there cost nothing.
    if ((set & kind_set(kind)) == 0 || (set & ~present) != 0) continue;
    TaskDeque& queue = only_[set];
    if (queue.size() == 0) continue;
    if (best == nullptr || queue.top() > best->top()) best = &queue;
  }
  return best;
}

TaskDeque* Crew::orphans() {
  const KindSet left = alive();
  for (KindSet set = 1; set < kKindSets; ++set) {
    if ((set & left) == 0 && only_[set].size() > 0) return &only_[set];
  }
  return nullptr;
}

void Crew::set_restricted_aside(graph::TaskList& ready) {
  graph::TaskList for_all;
  while (!ready.empty()) {
    graph::Task* task = ready.pop_front();
    const KindSet kinds = able(*task);
    if (kinds == present || kinds == 0) {
      for_all.push_back(task);
    } else {
      only(kinds).push(task);
    }
  }
  ready.append(for_all);
}

bool Crew::set_apart(graph::TaskList& ready, TaskDeque* activation) {
  if (mixed && activation == nullptr) set_restricted_aside(ready);
  if (ready.empty()) return false;
  if (shares != nullptr && shares->contended()) {
    shares->put_into_turns(ready);
    return shares->pass_on();
  }
  if (activation == nullptr) return false;
  activation->push(ready);
  return true;
}

WorkerId Crew::take_idle_for_restricted() {
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const WorkerId worker(static_cast<std::uint32_t>(i));
    if (!idle.contains(worker)) continue;
    const bool wanted =
        ports[i].lost.load(std::memory_order_relaxed) ? orphans() != nullptr : restricted_for(kinds[i]) != nullptr;
    if (wanted && idle.erase(worker)) return worker;
  }
  return WorkerId{};
}

}  // namespace troupe::workers
