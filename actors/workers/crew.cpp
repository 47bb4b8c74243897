#include "actors/workers/crew.hpp"

#include "graph/codelet.hpp"
#include "graph/working_set.hpp"

namespace troupe::workers {

KindSet Crew::alive() const {
  KindSet alive = 0;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    if (!ports[i].lost.load(std::memory_order_relaxed)) alive = static_cast<KindSet>(alive | kind_set(kinds[i]));
  }
  return alive;
}

KindSet Crew::able(const graph::Task& task) const {
  if (task.codelet == nullptr) return present;  // stands for a thread of the program
  const bool has_core_kernel = task.codelet->runs_on(DeviceKind::cpu_core);
  const bool rather_on_cores =
      has_core_kernel && (present & kind_set(DeviceKind::cpu_core)) != 0 && graph::reduces(task);
  if (has_core_kernel && graph::find_whole_of_parts(task) != nullptr) return present & kind_set(DeviceKind::cpu_core);
  KindSet able = 0;
  for (int i = 0; i < kDeviceKinds; ++i) {
    const auto kind = static_cast<DeviceKind>(i);
    if (kind == DeviceKind::cuda && rather_on_cores) continue;
    if (task.codelet->runs_on(kind)) able = static_cast<KindSet>(able | kind_set(kind));
  }
  return able & present;
}

TaskDeque* Crew::restricted_for(DeviceKind kind) {
  TaskDeque* best = nullptr;
  for (KindSet set = 1; set < kKindSets; ++set) {
    TaskDeque& queue = only_[set];
    if ((set & kind_set(kind)) == 0 || queue.size() == 0) continue;
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
