/// Tasks go home, to where their data are, while time allows.
#pragma once

#include <memory>

#include "actors/scheduler/policy.hpp"

namespace troupe::scheduler {

/// Every field was chosen by experiments, which also say how much each matters (docs/policies.md).
struct HomewardOptions {
  /// The tolerance: a task may end this much later than at its earliest so as to move less, in mean kernels
  /// (`Outlook::kernel_s`). It has a least value, where the work decides (elsewhere it is smaller, see step 1), and a
  /// largest one.
  double least_tolerance = 1;
  double most_tolerance = 4;
  /// In between: part of a task's slack.
  double slack_share = 0.25;
  /// Bytes of data that a task writes count so many times: they change their home, and what is used with them follows.
  double written_weight = 2;
  /// Tasks that a GPU has besides the one that runs, so that their copies overlap with it.
  std::size_t ahead = 2;
  /// Tasks that are looked at in one decision, of those with the highest ranks.
  std::size_t looked_at = 32;
  /// A task with slack may take part of the time that is left on a core.
  double core_share = 0.8;
  /// While it does, GPUs must have other work for this part of that time: for tasks that cores are better off with, and
  /// for others.
  double cover = 0.3;
  double spare_cover = 0.25;
  /// Out of core: ready tasks that are looked at for one that needs few copies.
  std::size_t looked_at_for_data = 4096;
};

/// Assumptions: kernel times are known, and tasks before they are ready, so that upward ranks and what is left mean
/// something; copies overlap with kernels. It adapts to the rest: how far the critical path or the amount of work
/// decides.
///
/// State: the ready tasks, by decreasing upward rank (fastest times). Nothing is placed before a worker has room: an
/// idle core, a GPU with fewer than `ahead` tasks waiting, or a worker that is free when the copies are done.
///
/// *Out of core*: where the data of what is left do not fit into the GPUs' memories, copies decide, and ranks would
/// lead each GPU through all of them again and again. Then each GPU with room takes, before step 1 and of the ready
/// tasks that GPUs are better off with, one that has no slack, or else the one that needs the fewest bytes copied
/// there, the highest rank of equals.
///
/// Each decision begins with the *outlook* (`outlook.hpp`): the time T that what is left takes at least, by work or by
/// rank, and the speed-up below which tasks are better off on cores. A task's *slack* is what it could end later
/// without the chain behind it ending after T.
///
/// 1. One by one, in the order of rank: the earliest finish over all workers, copies included. Where the task is better
///    off on a core, the GPUs have other work, and the task has slack or would take the GPUs, divided among them,
///    longer than the chain behind it loses: the earliest finish among cores. Otherwise, of the workers that finish
///    within a tolerance, the one with the fewest bytes to copy: a tolerance of a quarter of the slack, at most four
///    mean kernels, at least one where the work decides, else one times the root of the part that the work takes of T.
///    If that worker has room, the task is placed; if not, it stays, and counts as the worker's load for the tasks
///    after it.
/// 2. Each core that is still idle, the fastest first where clusters are of mixed sizes, takes, of the tasks whose
///    slack allows it, the one with the smallest speed-up, lowest rank first: work that GPUs would do otherwise.
/// 3. Each GPU that is still idle takes the task with the highest rank that the worker of step 1 would not end earlier.
///
/// Ties: the earlier finish, then the worker with the smaller id; tasks of equal rank by id.
///
/// Cost: O(looked_at * workers + log tasks) a decision.
[[nodiscard]] std::unique_ptr<PlacingPolicy> homeward(const HomewardOptions& options = {});

}  // namespace troupe::scheduler
