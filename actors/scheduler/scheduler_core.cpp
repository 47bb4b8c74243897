#include "actors/scheduler/scheduler_core.hpp"

#include <cassert>

#include "graph/codelet.hpp"

namespace troupe::scheduler {

SchedulerCore::SchedulerCore(std::unique_ptr<PlacingPolicy> policy, std::vector<DeviceKind> workers, std::uint64_t seed)
    : policy_(std::move(policy)), random_(seed) {
  for (const DeviceKind kind : workers) {
    workers_.push_back({WorkerId(static_cast<std::uint32_t>(workers_.size())), kind, 0});
  }
}

SchedulerCore::Decision SchedulerCore::activated(std::span<const ReadyTask> tasks,
                                                 std::span<const std::size_t> queued) {
  if (!policy_->in_rounds()) return place(tasks, queued);
  kept_.insert(kept_.end(), tasks.begin(), tasks.end());
  Decision decision;
  decision.ask_to_decide = !asked_ && !kept_.empty();
  asked_ = asked_ || decision.ask_to_decide;
  return decision;
}

SchedulerCore::Decision SchedulerCore::decide(std::span<const std::size_t> queued) {
  asked_ = false;
  const std::vector<ReadyTask> round = std::move(kept_);
  kept_.clear();
  return place(round, queued);
}

SchedulerCore::Decision SchedulerCore::place(std::span<const ReadyTask> tasks, std::span<const std::size_t> queued) {
  Decision decision;
  if (tasks.empty()) return decision;
  for (std::size_t i = 0; i < workers_.size(); ++i) workers_[i].queued = queued[i];
  std::vector<WorkerId> placement(tasks.size());
  policy_->place(tasks, {workers_}, random_, placement);
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    assert(placement[i].index() < workers_.size() && "a policy must place every task on an existing worker");
    assert(tasks[i].codelet->runs_on(workers_[placement[i].index()].kind) &&
           "a policy must place a task on a device that its codelet runs on");
    decision.placed.push_back({tasks[i].id, placement[i]});
  }
  return decision;
}

}  // namespace troupe::scheduler
