/// The example policies of docs/extending.md, word for word.
#pragma once

#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

#include "actors/scheduler/policy.hpp"
#include "actors/scheduler/projected_loads.hpp"

namespace troupe::scheduler {

/// Assumptions: kernel and transfer times are known.
/// Algorithm: tasks with the longest chain behind them come first. Each goes to the worker that needs the fewest bytes
/// among those where it ends at most `tolerance` times its own duration later than on the best one.
/// Ties: tasks are taken in the order in which they became ready, workers by id.
class Thrifty final : public PlacingPolicy {
 public:
  explicit Thrifty(double tolerance) : tolerance_(tolerance) {}

  [[nodiscard]] PolicyTraits policy_traits() const override { return {.ranks = Ranks::mean}; }

  void place(std::span<const ReadyTask> tasks, const Snapshot& snapshot, Random&,
             std::span<WorkerId> placement) override {
    order_.resize(tasks.size());
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::stable_sort(order_.begin(), order_.end(),
                     [&](std::size_t a, std::size_t b) { return tasks[a].upward_rank_s > tasks[b].upward_rank_s; });
    ProjectedLoads loads(snapshot);
    for (const std::size_t i : order_) {
      const ProjectedLoads::Choice choice = choose(tasks[i], snapshot, loads);
      if (!choice.worker.valid()) continue;
      placement[i] = choice.worker;
      loads.add(choice);
    }
  }

 private:
  ProjectedLoads::Choice choose(const ReadyTask& task, const Snapshot& snapshot, const ProjectedLoads& loads) const {
    const Predictions& predictions = *snapshot.predictions;
    ProjectedLoads::Choice best = loads.earliest(task, false);
    if (!best.worker.valid()) return best;
    const double duration_s = seconds(predictions.execution(task, best.worker));
    const double latest_s = seconds(best.finish) + tolerance_ * duration_s;
    Bytes fewest = predictions.missing(task, snapshot.workers[best.worker.index()].node);
    for (const WorkerState& worker : snapshot.workers) {
      if (!runs_on(task, worker, predictions)) continue;
      const Bytes missing = predictions.missing(task, worker.node);
      const TimeStamp finish = loads.finish(task, worker, predictions.transfer(task, worker.node));
      if (missing >= fewest || seconds(finish) > latest_s) continue;
      best = {worker.id, finish};
      fewest = missing;
    }
    return best;
  }

  const double tolerance_;
  std::vector<std::size_t> order_;
};

/// Keeps every task until a worker has nothing to do. That worker then gets the oldest task that it can run.
class FirstIdle final : public PlacingPolicy {
 public:
  [[nodiscard]] PolicyTraits policy_traits() const override { return {.keeps = true}; }

  void place(std::span<const ReadyTask> tasks, const Snapshot&, Random&, std::span<WorkerId>) override {
    waiting_.insert(waiting_.end(), tasks.begin(), tasks.end());
  }

  void place_kept(const Snapshot& snapshot, Random&, std::vector<Placed>& placed) override {
    for (const WorkerState& worker : snapshot.workers) {
      if (worker.busy || worker.queued > 0) continue;
      const auto task = std::find_if(waiting_.begin(), waiting_.end(), [&](const ReadyTask& waiting) {
        return runs_on(waiting, worker, *snapshot.predictions);
      });
      if (task == waiting_.end()) continue;
      placed.push_back({task->id, worker.id});
      waiting_.erase(task);
    }
  }

 private:
  std::vector<ReadyTask> waiting_;
};

}  // namespace troupe::scheduler
