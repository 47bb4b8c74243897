/// Where ready tasks go under a placing policy: the scheduler without its actor.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "actors/scheduler/policy.hpp"

namespace troupe::scheduler {

/// | event     | policy per completion      | policy in rounds                                         |
/// |-----------|----------------------------|----------------------------------------------------------|
/// | activated | decide about these tasks   | keep them; ask for `decide` unless that has been asked   |
/// | decide    | cannot happen              | decide about all that were kept                          |
/// | abandon   | place without the policy   | forget what was kept; place without the policy           |
///
/// Plain code; tasks are named by their index in what the caller passes, so that it is tested without a graph.
class SchedulerCore {
 public:
  SchedulerCore(std::unique_ptr<PlacingPolicy> policy, std::vector<DeviceKind> workers, std::uint64_t seed);

  struct Placed {
    TaskId task;
    WorkerId worker;
  };

  /// What the shell has to do.
  struct Decision {
    /// In the order in which the tasks are to be queued.
    std::vector<Placed> placed;
    /// Send `Decide` to itself.
    bool ask_to_decide = false;
    /// What the policy did wrong, empty where nothing: it threw, or named a worker that cannot run the task. What it
    /// has not placed is on the least loaded workers that can.
    std::string failure;
  };

  /// `queued[i]`: ready tasks in the deque of worker i now.
  Decision activated(std::span<const ReadyTask> tasks, std::span<const std::size_t> queued);
  Decision decide(std::span<const std::size_t> queued);
  /// Places all tasks that there are on the least loaded workers, as the actor around this has died. Another one may go
  /// on with this. `failure` says so.
  Decision abandon(std::span<const ReadyTask> tasks, std::span<const std::size_t> queued, const std::string& failure);

 private:
  Decision place(std::span<const ReadyTask> tasks, std::span<const std::size_t> queued);
  /// Corrects a placement where a worker cannot run its task.
  Decision settle(std::span<const ReadyTask> tasks, std::span<WorkerId> placement, std::string failure) const;
  void look_at(std::span<const std::size_t> queued);
  /// Asks the policy; what it throws, as text.
  std::string ask(std::span<const ReadyTask> tasks, std::span<WorkerId> placement);
  [[nodiscard]] bool can_run(WorkerId worker, const ReadyTask& task) const;
  /// The worker with the fewest tasks, counting `extra`, of those that can run it; the smallest id where several have.
  [[nodiscard]] WorkerId least_loaded(const ReadyTask& task, std::span<const std::size_t> extra) const;

  std::unique_ptr<PlacingPolicy> policy_;
  std::vector<WorkerState> workers_;
  Random random_;
  std::vector<ReadyTask> kept_;
  bool asked_ = false;
};

}  // namespace troupe::scheduler
