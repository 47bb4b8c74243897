/// Workers' loads while a policy places several tasks.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "actors/scheduler/policy.hpp"

namespace troupe::scheduler {

/// A copy of the times at which workers become available, updated as tasks are placed one after the other.
class ProjectedLoads {
 public:
  /// A worker for a task, and the time at which the task would end there. The worker's id is invalid if no worker can
  /// run the task.
  struct Choice {
    WorkerId worker;
    TimeStamp finish = TimeStamp::max();
  };

  explicit ProjectedLoads(const Snapshot& snapshot) : snapshot_(snapshot) {
    for (const WorkerState& worker : snapshot.workers) available_.push_back(std::max(worker.available, snapshot.now));
  }

  [[nodiscard]] TimeStamp available(WorkerId worker) const { return available_[worker.index()]; }

  /// Returns the time at which the task would end on the worker; `TimeStamp::max()` if the worker cannot run it.
  /// `transfer` is the time to copy the task's data to the worker's node.
  [[nodiscard]] TimeStamp finish(const ReadyTask& task, const WorkerState& worker, Duration transfer) const {
    const Duration execution = snapshot_.predictions->execution(task, worker.id);
    if (execution == ExecutionTimes::kNever) return TimeStamp::max();
    return std::max(available_[worker.id.index()], snapshot_.now + transfer) + execution;
  }

  /// The rules by which the time of copies counts in the choice of a worker (`EarliestFinishOptions`).
  struct Charge {
    bool communication_prediction = false;
    double weight = 1;
    bool dmda = false;
  };

  /// Returns the worker where the task ends first, copies included; among equal workers, the first.
  [[nodiscard]] Choice earliest(const ReadyTask& task, bool communication_prediction) const {
    return earliest(task, Charge{.communication_prediction = communication_prediction});
  }
  [[nodiscard]] Choice earliest(const ReadyTask& task, const Charge& charge) const {
    Choice best;
    TimeStamp least = TimeStamp::max();
    NodeId node;
    Duration copies{};
    for (const WorkerState& worker : snapshot_.workers) {
      if (!runs_on(task, worker, *snapshot_.predictions)) continue;
      if (worker.node != node) {
        node = worker.node;
        copies = transfer(task, node, charge);
      }
      const Duration execution = snapshot_.predictions->execution(task, worker.id);
      const TimeStamp free = available_[worker.id.index()];
      const TimeStamp finish = std::max(free, snapshot_.now + copies) + execution;
      const auto weighted = Duration(std::llround(charge.weight * static_cast<double>(copies.count())));
      const TimeStamp cost = charge.dmda ? finish + copies : free + weighted + execution;
      if (cost >= least) continue;
      least = cost;
      best = {worker.id, finish};
    }
    return best;
  }

  void add(const Choice& choice) { available_[choice.worker.index()] = choice.finish; }

 private:
  [[nodiscard]] Duration transfer(const ReadyTask& task, NodeId node, const Charge& charge) const {
    if (charge.communication_prediction) return snapshot_.predictions->transfer_in_traffic(task, node);
    return snapshot_.predictions->transfer(task, node, charge.dmda ? charge.weight : 1);
  }

  const Snapshot& snapshot_;
  std::vector<TimeStamp> available_;
};

}  // namespace troupe::scheduler
