/// Homeward: a task goes to where its data are, if that costs little time.
#pragma once

#include <memory>

#include "actors/scheduler/policy.hpp"

namespace troupe::scheduler {

/// All defaults were chosen by experiments. These experiments also show how much each field matters (docs/policies.md).
struct HomewardOptions {
  /// The tolerance: a task may end this much later than at its earliest in order to move less data. The unit is the
  /// mean kernel time (`Outlook::kernel_s`). `least_tolerance` holds for runs whose length the amount of work decides
  /// (less if the longest chain decides, see step 1 below); `most_tolerance` is the upper limit.
  double least_tolerance = 1;
  double most_tolerance = 4;
  /// Between the two fields above, the tolerance is this fraction of a task's slack.
  double slack_fraction = 0.25;
  /// The weight of a byte that a task writes; a byte that it only reads has the weight 1. Written bytes count more
  /// because the written data stay on the task's node, so that a later task which uses them there needs copies of its
  /// other data.
  double written_weight = 2;
  /// The number of tasks that wait on a GPU behind the running task, so that their data are copied while it runs.
  std::size_t ahead = 2;
  /// The number of tasks that one decision examines. These are the tasks with the highest ranks.
  std::size_t looked_at = 32;
  /// A task with slack may take up to this fraction of the remaining time on a core.
  double core_fraction = 0.8;
  /// While a task runs on a core, GPUs must have other work for this fraction of that time: `cover` holds for tasks
  /// that are better off on cores, `spare_cover` for other tasks.
  double cover = 0.3;
  double spare_cover = 0.25;
  /// If the data do not fit into the GPUs' memories: the number of ready tasks that are searched for the task with the
  /// fewest bytes to copy.
  std::size_t looked_at_for_data = 4096;
};

/// Assumptions: kernel times are known, and tasks are known before they are ready, so that upward ranks and the
/// remaining work can be computed; copies overlap with kernels. The policy adapts to whether the critical path or the
/// amount of work decides how long the run takes.
///
/// State: the ready tasks, by decreasing upward rank (computed from fastest times). A task is placed only when a worker
/// has room. A worker has room if it is an idle core, if it is a GPU with fewer than `ahead` waiting tasks, or if it
/// will be free by the time the task's copies are done.
///
/// *Out of core*: if the data of the remaining tasks do not fit into the GPUs' memories, copies decide how long the run
/// takes, and in the order of ranks each GPU would copy all data again and again. Therefore, before step 1, each GPU
/// with room takes a ready task that is better off on GPUs: a task without slack, or else the task with the fewest
/// bytes to copy. Among equal tasks, the highest rank wins.
///
/// Each decision begins with the *outlook* (`outlook.hpp`): the least time T that the remaining tasks take, by work or
/// by rank, and the speed-up below which tasks are better off on cores. A task's *slack* is the longest delay of its
/// end with which the chain behind it still ends by T.
///
/// 1. In the order of ranks, each task is examined: find the earliest finish over all workers, copies included. The
///    task goes to the core with the earliest finish if it is better off on a core, the GPUs have other work, and
///    either it has slack or the GPUs together gain more time than the chain behind the task loses. Otherwise, among
///    the workers that finish within a tolerance, it goes to the worker with the fewest bytes to copy. The tolerance is
///    a quarter of the slack, but at most four mean kernel times, and at least one if the amount of work decides how
///    long the run takes. If the longest chain decides, the lower limit is the square root of the fraction of T that
///    the work takes. If the chosen worker has room, the task is placed; if not, the policy keeps the task, which
///    counts as load of that worker for the tasks after it.
/// 2. Each core that is still idle (the fastest first, if clusters are of mixed sizes) takes a task whose slack allows
///    it: the task with the smallest speed-up and, among equals, the lowest rank. GPUs would run such tasks otherwise.
/// 3. Each GPU that is still idle takes the task with the highest rank among those that the worker of step 1 would not
///    end earlier.
///
/// Ties: the earlier finish wins, then the worker with the smaller id; tasks of equal rank are sorted by id.
///
/// Cost: O(looked_at * workers + log tasks) a decision.
[[nodiscard]] std::unique_ptr<PlacingPolicy> homeward(const HomewardOptions& options = {});

}  // namespace troupe::scheduler
