#include "actors/workers/deciding/victim_search.hpp"

#include <algorithm>
#include <vector>

namespace troupe::workers {

WorkerId VictimSearch::ask_next() {
  if (crew_.plan.shared_queue || asked_ > 2 * crew_.ports.size()) return WorkerId{};
  const WorkerId victim = next_victim();
  if (!victim.valid()) return victim;
  ++asked_;
  awaited_ = victim;
  return victim;
}

WorkerId VictimSearch::next_victim() {
  for (const std::vector<WorkerId>& ring : crew_.plan.victims[self_.index()]) {
    if (ring.empty()) continue;
    const std::size_t start = random_.below(static_cast<std::uint32_t>(ring.size()));
    for (std::size_t i = 0; i < ring.size(); ++i) {
      const WorkerId victim = ring[(start + i) % ring.size()];
      if (has_tasks(victim)) return victim;
    }
  }
  return WorkerId{};
}

bool VictimSearch::answered(WorkerId victim, std::size_t tasks) {
  if (tasks > 0) robbed_ = victim;
  const bool awaited = victim == awaited_;
  if (awaited) awaited_ = WorkerId{};
  return awaited;
}

bool VictimSearch::sees_tasks() const {
  if (crew_.plan.shared_queue) return false;
  for (const std::vector<WorkerId>& ring : crew_.plan.victims[self_.index()]) {
    if (std::ranges::any_of(ring, [this](WorkerId victim) { return has_tasks(victim); })) return true;
  }
  return false;
}

}  // namespace troupe::workers
