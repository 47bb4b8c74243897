/// HeteroPrio: each kind of device first takes the tasks that it is comparatively best at.
#pragma once

#include <cstddef>
#include <memory>

#include "actors/scheduler/policy.hpp"

namespace troupe::scheduler {

/// E. Agullo, B. Bramas, O. Coulaud, E. Darve, M. Messner, T. Takahashi: Task-based FMM for heterogeneous architectures
/// (Concurrency and Computation 28, 2016); with the order by priority of O. Beaumont, L. Eyraud-Dubois, S. Kumar:
/// Approximation proofs of a fast and efficient list scheduling algorithm for task-based runtime systems on multicores
/// and GPUs (IPDPS 2017).
///
/// Assumptions: kernel times are known; data move so fast that copies need not be counted.
///
/// Algorithm: ready tasks are kept in one order, by decreasing ratio of their time on a core to their time on a GPU.
/// Among tasks with equal ratios, the kind of device that is better at them takes those with the highest priority
/// first, and among these the tasks with the longest chain behind them; the other kind takes the opposite end. A GPU
/// that has room takes the first task that it can run; the GPU that will be free first chooses first. Then an idle core
/// takes the last task; the idle core that is fastest at that task chooses first. A core gets one task at a time. A GPU
/// gets at most `ahead` tasks besides the running task, so that their data are copied meanwhile.
///
/// A core does not take a task that the GPUs together would have ended earlier, with all tasks that come before it in
/// the order:
///
///     time on the core <= max((work placed on GPUs + all tasks up to this task) / number of GPUs,
///                             time until a GPU is free + the task's time on a GPU)
///
/// The core then takes the nearest earlier task in the order that passes this test. The published policies limit how
/// many tasks must wait before slow workers take some (Agullo et al.), or let an idle GPU run a core's task anew
/// (*spoliation*, Beaumont et al.). Here a task stays on its worker once it is queued, so only the limit can be used,
/// as a time instead of a number. The proven ratios therefore do not hold.
///
/// Every task finds a device: the limit does not apply to tasks that no GPU can run, and a GPU without tasks takes any
/// task that it can run.
///
/// *Clusters of mixed sizes*: the order uses the times of the fastest core. But a core decides by its own times whether
/// it takes a task, so a single core leaves some tasks to the GPUs that a cluster would take.
///
/// Ties: the task that became ready first; the worker with the smallest id.
struct HeteroPrioOptions {
  std::size_t ahead = 1;
};

[[nodiscard]] std::unique_ptr<PlacingPolicy> heteroprio(const HeteroPrioOptions& options);

}  // namespace troupe::scheduler
