#include "actors/scheduler/scheduler_core.hpp"

#include <algorithm>
#include <cassert>
#include <exception>
#include <utility>

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
  bool rounds = false;
  try {
    rounds = policy_->in_rounds();
  } catch (...) {  // what it throws, it throws when it is asked to place, too, or it does its part
  }
  if (!rounds) return place(tasks, queued);
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

bool SchedulerCore::can_run(WorkerId worker, const ReadyTask& task) const {
  return worker.index() < workers_.size() && task.codelet->runs_on(workers_[worker.index()].kind);
}

WorkerId SchedulerCore::least_loaded(const ReadyTask& task, std::span<const std::size_t> extra) const {
  WorkerId best;
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    if (!can_run(workers_[i].id, task)) continue;
    if (best.valid() && workers_[i].queued + extra[i] >= workers_[best.index()].queued + extra[best.index()]) continue;
    best = workers_[i].id;
  }
  assert(best.valid() && "the graph refuses tasks that no worker can run");
  return best;
}

std::string SchedulerCore::ask(std::span<const ReadyTask> tasks, std::span<WorkerId> placement) {
  try {
    policy_->place(tasks, {workers_}, random_, placement);
    return {};
  } catch (const std::exception& error) {
    return std::string("threw: ") + error.what();
  } catch (...) {
    return "threw something that is no std::exception";
  }
}

SchedulerCore::Decision SchedulerCore::place(std::span<const ReadyTask> tasks, std::span<const std::size_t> queued) {
  if (tasks.empty()) return {};
  look_at(queued);
  std::vector<WorkerId> placement(tasks.size());
  std::string failure = ask(tasks, placement);
  // What a policy that threw has written may be half of what it meant.
  if (!failure.empty()) std::fill(placement.begin(), placement.end(), WorkerId{});
  return settle(tasks, placement, std::move(failure));
}

SchedulerCore::Decision SchedulerCore::abandon(std::span<const ReadyTask> tasks, std::span<const std::size_t> queued,
                                               const std::string& failure) {
  kept_.clear();
  asked_ = false;
  look_at(queued);
  std::vector<WorkerId> nowhere(tasks.size());
  Decision decision = settle(tasks, nowhere, failure);
  if (tasks.empty()) decision.failure = failure;
  return decision;
}

void SchedulerCore::look_at(std::span<const std::size_t> queued) {
  for (std::size_t i = 0; i < workers_.size(); ++i) workers_[i].queued = queued[i];
}

SchedulerCore::Decision SchedulerCore::settle(std::span<const ReadyTask> tasks, std::span<WorkerId> placement,
                                              std::string failure) const {
  Decision decision;
  std::vector<std::size_t> extra(workers_.size());
  std::size_t unplaced = 0;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if (!can_run(placement[i], tasks[i])) {
      if (failure.empty()) failure = "named a worker that is not there or cannot run the task";
      placement[i] = least_loaded(tasks[i], extra);
      ++unplaced;
    }
    ++extra[placement[i].index()];
    decision.placed.push_back({tasks[i].id, placement[i]});
  }
  if (unplaced > 0) {
    decision.failure = failure + " (" + std::to_string(unplaced) + (unplaced == 1 ? " task was" : " tasks were") +
                       " placed on the least loaded workers instead)";
  }
  return decision;
}

}  // namespace troupe::scheduler
