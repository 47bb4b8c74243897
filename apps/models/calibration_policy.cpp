#include "apps/models/calibration_policy.hpp"

#include <algorithm>

namespace troupe::apps {

namespace {

/// Returns the types of the workers that can run the task, each once.
std::vector<std::uint32_t> types_for(const scheduler::ReadyTask& task, const scheduler::Snapshot& snapshot) {
  std::vector<std::uint32_t> types;
  for (const scheduler::WorkerState& worker : snapshot.workers) {
    if (!scheduler::runs_on(task, worker, *snapshot.predictions)) continue;
    if (std::find(types.begin(), types.end(), worker.type) == types.end()) types.push_back(worker.type);
  }
  return types;
}

}  // namespace

std::uint32_t CalibrationLedger::take(SizeClassId size_class, const std::vector<std::uint32_t>& types) {
  const LockGuard lock(mutex_);
  const auto count = [&](std::uint32_t type) TROUPE_REQUIRES(mutex_) -> std::uint64_t& {
    return placed_[{size_class, type}];
  };
  std::uint32_t least = types.front();
  for (const std::uint32_t type : types) {
    if (count(type) < count(least)) least = type;
  }
  ++count(least);
  return least;
}

bool CalibrationLedger::has(std::uint64_t tasks) const {
  const LockGuard lock(mutex_);
  return !placed_.empty() &&
         std::all_of(placed_.begin(), placed_.end(), [tasks](const auto& entry) { return entry.second >= tasks; });
}

void CalibrationPolicy::place(std::span<const scheduler::ReadyTask> tasks, const scheduler::Snapshot& snapshot,
                              Random& /*random*/, std::span<WorkerId> placement) {
  std::vector<std::size_t> queued;
  for (const scheduler::WorkerState& worker : snapshot.workers) queued.push_back(worker.queued);
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const std::vector<std::uint32_t> types = types_for(tasks[i], snapshot);
    // If no worker can run the task, it gets none, and the scheduler reports an error.
    if (types.empty()) continue;
    const std::uint32_t type = ledger_->take(tasks[i].size_class, types);
    std::size_t best = snapshot.workers.size();
    for (std::size_t k = 0; k < snapshot.workers.size(); ++k) {
      const scheduler::WorkerState& worker = snapshot.workers[k];
      if (worker.type != type || !scheduler::runs_on(tasks[i], worker, *snapshot.predictions)) continue;
      if (best == snapshot.workers.size() || queued[k] < queued[best]) best = k;
    }
    placement[i] = snapshot.workers[best].id;
    ++queued[best];
  }
}

}  // namespace troupe::apps
