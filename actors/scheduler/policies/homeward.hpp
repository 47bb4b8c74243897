/// Homeward: tasks go to where their data are, while time allows.
#pragma once

#include <memory>

#include "actors/scheduler/policy.hpp"

namespace troupe::scheduler {

/// All defaults were chosen by experiments, which also say how much each field matters (docs/policies.md).
struct HomewardOptions {
  /// The tolerance: a task may end this much later than at its earliest in order to move less data. The unit is the
  /// mean kernel (`Outlook::kernel_s`). The tolerance has a least value, for runs whose length the amount of work
  /// decides (less if the longest chain does, see step 1), and a largest one.
  double least_tolerance = 1;
  double most_tolerance = 4;
  /// Between these bounds, the tolerance is this part of a task's slack.
  double slack_share = 0.25;
  /// The weight of the bytes that a task writes: these data change their home, and data used with them follow.
  double written_weight = 2;
  /// The number of tasks that a GPU has besides the one that runs, so that their copies overlap with it.
  std::size_t ahead = 2;
  /// The number of tasks that are looked at in one decision, those with the highest ranks.
  std::size_t looked_at = 32;
  /// A task with slack may take up to this part of the remaining time on a core.
  double core_share = 0.8;
  /// While a task runs on a core, GPUs must have other work for this part of that time: `cover` for tasks that are
  /// better off on cores, `spare_cover` for others.
  double cover = 0.3;
  double spare_cover = 0.25;
  /// Out of core, the number of ready tasks that are searched for one that needs few copies.
  std::size_t looked_at_for_data = 4096;
};

/// Assumptions: kernel times are known, and tasks are known before they are ready, so that upward ranks and the
/// remaining work mean something; copies overlap with kernels. The policy adapts to how far the critical path or the
/// amount of work decides.
///
/// State: the ready tasks, by decreasing upward rank (fastest times). Nothing is placed before a worker has room: an
/// idle core, a GPU with fewer than `ahead` tasks waiting, or a worker that is free when the copies are done.
///
/// *Out of core*: if the data of the remaining tasks do not fit into the GPUs' memories, copies decide, and an order by
/// rank would lead each GPU through all data again and again. Then, before step 1, each GPU with room takes a ready
/// task that is better off on GPUs: one that has no slack, or else the one that needs the fewest bytes copied there,
/// the highest rank of equals.
///
/// Each decision begins with the *outlook* (`outlook.hpp`): the least time T that the remaining tasks take, by work or
/// by rank, and the speed-up below which tasks are better off on cores. A task's *slack* is how much later it could end
/// without the chain behind it ending after T.
///
/// 1. One by one, in the order of rank: find the earliest finish over all workers, copies included. The task goes to
/// the core with the earliest finish if it is better off on a core, the GPUs have other work, and it has slack, or the
/// GPUs together gain more time without it than the chain behind it loses. Otherwise, of the workers that finish
/// within a tolerance, it goes to the one with the fewest bytes to copy. The tolerance is a quarter of the slack, at
/// most four mean kernels; at least one if the work decides, else the square root of the part that the work takes of
/// T. If that worker has room, the task is placed; if not, it stays, and counts as the worker's load for the tasks
/// after it.
/// 2. Each core that is still idle, the fastest first if clusters are of mixed sizes, takes, of the tasks whose slack
/// allows it, the one with the smallest speed-up, lowest rank first: work that GPUs would do otherwise.
/// 3. Each GPU that is still idle takes the task with the highest rank that the worker of step 1 would not end earlier.
///
/// Ties: the earlier finish, then the worker with the smaller id; tasks of equal rank by id.
///
/// Cost: O(looked_at * workers + log tasks) a decision.
[[nodiscard]] std::unique_ptr<PlacingPolicy> homeward(const HomewardOptions& options = {});

}  // namespace troupe::scheduler
