#include "actors/workers/crew.hpp"

#include "graph/codelet.hpp"
#include "graph/working_set.hpp"

namespace troupe::workers {

void Crew::set_restricted_aside(graph::TaskList& ready) {
  graph::TaskList for_all;
  while (!ready.empty()) {
    graph::Task* task = ready.pop_front();
    if (task->codelet == nullptr) {  // stands for a thread of the program
      for_all.push_back(task);
      continue;
    }
    const bool on_cores = graph::find_whole_of_parts(*task) != nullptr && task->codelet->runs_on(DeviceKind::cpu_core);
    int runnable = 0;
    int present = 0;
    DeviceKind last = DeviceKind::cpu_core;
    for (int i = 0; i < kDeviceKinds; ++i) {
      const auto kind = static_cast<DeviceKind>(i);
      if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) continue;
      ++present;
      if (!task->codelet->runs_on(kind) || (on_cores && kind != DeviceKind::cpu_core)) continue;
      ++runnable;
      last = kind;
    }
    if (runnable == present || runnable == 0) {
      for_all.push_back(task);
    } else {
      only(last).push(task);
    }
  }
  ready.append(for_all);
}

WorkerId Crew::take_idle_for_restricted() {
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const WorkerId worker(static_cast<std::uint32_t>(i));
    if (only(kinds[i]).size() > 0 && idle.contains(worker) && idle.erase(worker)) return worker;
  }
  return WorkerId{};
}

}  // namespace troupe::workers
