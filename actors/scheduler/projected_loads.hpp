/// Workers' loads while a policy places several tasks.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "actors/scheduler/policy.hpp"

namespace troupe::scheduler {

/// A copy of the snapshot's time stamps, moved as tasks are placed one after the other.
class ProjectedLoads {
 public:
  /// A worker for a task, and what that would mean. An invalid worker: none can run it.
  struct Choice {
    WorkerId worker;
    TimeStamp finish = TimeStamp::max();
  };

  explicit ProjectedLoads(const Snapshot& snapshot) : snapshot_(snapshot) {
    for (const WorkerState& worker : snapshot.workers) available_.push_back(std::max(worker.available, snapshot.now));
  }

  [[nodiscard]] TimeStamp available(WorkerId worker) const { return available_[worker.index()]; }

  /// When the task would end there; `TimeStamp::max()` where the worker cannot run it. `transfer`: for the worker's
  /// node.
  [[nodiscard]] TimeStamp finish(const ReadyTask& task, const WorkerState& worker, Duration transfer) const {
    const Duration execution = snapshot_.predictions->execution(task, worker.id);
    if (execution == ExecutionTimes::kNever) return TimeStamp::max();
    return std::max(available_[worker.id.index()], snapshot_.now + transfer) + execution;
  }

  /// The worker where the task ends first, transfers included; of equals the first.
  /// `weight`: of the copies in the choice.
  [[nodiscard]] Choice earliest(const ReadyTask& task, bool communication_prediction, double weight = 1) const {
    Choice best;
    TimeStamp least = TimeStamp::max();
    NodeId node;
    Duration transfer{};
    for (const WorkerState& worker : snapshot_.workers) {
      if (!runs_on(task, worker, *snapshot_.predictions)) continue;
      if (worker.node != node) {
        node = worker.node;
        transfer = communication_prediction ? snapshot_.predictions->transfer_in_traffic(task, node)
                                            : snapshot_.predictions->transfer(task, node);
      }
      const Duration execution = snapshot_.predictions->execution(task, worker.id);
      const TimeStamp free = available_[worker.id.index()];
      const TimeStamp end = free + Duration(std::llround(weight * static_cast<double>(transfer.count()))) + execution;
      if (end >= least) continue;
      least = end;
      best = {worker.id, std::max(free, snapshot_.now + transfer) + execution};
    }
    return best;
  }

  void add(const Choice& choice) { available_[choice.worker.index()] = choice.finish; }

 private:
  const Snapshot& snapshot_;
  std::vector<TimeStamp> available_;
};

}  // namespace troupe::scheduler
