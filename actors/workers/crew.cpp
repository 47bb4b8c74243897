#include "actors/workers/crew.hpp"

#include <limits>

#include "graph/codelets/codelet.hpp"
#include "graph/data/working_set.hpp"

namespace troupe::workers {

namespace {
/// Of several clients together: enough that a placing policy has a choice, and few enough that turns are kept.
constexpr std::size_t kTasksPerWorker = 8;
static_assert(kKindSets <= std::numeric_limits<KindSet>::max(), "sets can be counted");
}  // namespace

void Crew::put_into_turns(TaskDeque& deque) noexcept {
  while (graph::Task* const task = deque.pop_oldest()) {
    graph::TaskList one;
    one.push_back(task);
    put_into_turns(one);
  }
}

void Crew::put_into_turns(EntryQueue& queue) noexcept {
  if (queue.size() == 0) return;
  queue.drain();
  while (graph::Task* const task = queue.pop_oldest()) {
    graph::TaskList one;
    one.push_back(task);
    put_into_turns(one);
  }
}

bool Crew::pass_on(TaskDeque& activation) noexcept {
  // While one client alone has work, the policy sees all of it.
  const auto most = static_cast<std::int64_t>(kTasksPerWorker * ports.size());
  bool any = false;
  while (shares->waiting() > 0 && (!shares->contended() || shares->in_service() < most)) {
    Shares::Turn turn = shares->take(false);
    if (turn.tasks.empty()) break;
    activation.push(turn.tasks);
    any = true;
  }
  return any;
}

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

graph::Task* Crew::take_orphan() {
  const KindSet left = alive();
  for (KindSet set = 1; set < kKindSets; ++set) {
    if ((set & left) != 0) continue;
    if (graph::Task* task = only_[set].pop_oldest()) return task;
  }
  return nullptr;
}

bool Crew::has_orphans() const {
  const KindSet left = alive();
  for (KindSet set = 1; set < kKindSets; ++set) {
    if ((set & left) == 0 && only_[set].size() > 0) return true;
  }
  return false;
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

WorkerId Crew::take_idle_for_restricted() {
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const WorkerId worker(static_cast<std::uint32_t>(i));
    if (!idle.contains(worker)) continue;
    const bool wanted =
        ports[i].lost.load(std::memory_order_relaxed) ? has_orphans() : restricted_for(kinds[i]) != nullptr;
    if (wanted && idle.erase(worker)) return worker;
  }
  return WorkerId{};
}

}  // namespace troupe::workers
