/// Lower bounds on the makespan of a task graph on a machine: no schedule can be faster.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "apps/bounds/worker_type.hpp"

namespace troupe::apps {

struct BoundTask {
  std::uint32_t kind = 0;
  /// The indices of the tasks that must have ended before this task begins. All of them are smaller than the task's own
  /// index.
  std::vector<std::uint32_t> predecessors;
  /// The task takes at least this factor times its kind's time, on every type of worker. The factor differs from 1 if
  /// the times of a run vary (noise).
  double length = 1;
};

/// A task graph and a machine, as numbers.
struct BoundProblem {
  std::vector<BoundTask> tasks;
  std::size_t kinds = 0;
  BoundMachine machine;
};

/// Bounds in seconds. No schedule without preemption takes less than any of these bounds, for any policy and order:
/// each bound is the least makespan under *some* of the conditions that every schedule fulfils. In each case, let T be
/// the makespan of a schedule.
///
/// `area_s`. Let x(k, r) be the sum of the lengths of the tasks of kind k that ran on workers of type r. For each k,
/// the sum of x(k, r) over all r is the length of all tasks of kind k. The workers of type r were busy for sum_k x(k,
/// r) time(k, r), which is at most T for each worker; the same holds for cores that types share. The least T over all x
/// >= 0 under these conditions is the optimum of a linear program.
///
/// `critical_path_s`. The tasks on a path of the graph ran one after the other, each at least for its fastest time.
///
/// `iterated_s`. The area bound with more conditions. For a path, let y(k, r) be the length of the path's tasks of kind
/// k that ran on type r. For each k, the sum of y(k, r) over all r is the length of the path's tasks of kind k.
/// Moreover, y(k, r) <= x(k, r) and sum_kr y(k, r) time(k, r) <= T. These conditions matter because the area bound, to
/// balance the load, puts tasks on types that are slow for them. If the area bound puts all tasks of a kind on a slow
/// type, it also puts tasks of a path on that type. Paths are added step by step: the paths that take longest under the
/// last solution's x join the program, until no path takes more than a thousandth longer than T, or for 30 rounds. This
/// bound is at least as large as the other two. (E. Agullo, O. Beaumont, L. Eyraud-Dubois and S. Kumar, Are Static
/// Schedules so Bad? A Case Study on Cholesky Factorization, IPDPS 2016.)
///
/// `staged_s`, the largest. The iterated bound lets all workers be busy from beginning to end, but a graph begins and
/// ends with few tasks. All tasks that are followed by a chain of length q have ended at T - q. All tasks that are
/// preceded by a chain of length q begin at q or later. In both cases, each type of worker has a time of T - q for its
/// share of these tasks. x is split by stage (`StagedProblem`), so that one program has these conditions for 24 values
/// of q, together with the paths. There is one program for ends and one for beginnings.
///
/// The linear programs' bounds come from `LinearProgram::lower_bound`, minus the largest possible rounding errors of
/// sums over the tasks (`rounding`). They are therefore valid even if the programs were solved inexactly. Copies of
/// data are left out; they can only make schedules longer.
struct LowerBounds {
  double area_s = 0;
  double critical_path_s = 0;
  double iterated_s = 0;
  double staged_s = 0;
};

/// Returns an upper limit of the rounding errors of sums over this many tasks, relative to the sum.
[[nodiscard]] inline double rounding(std::size_t tasks) {
  return 1e-12 + 4 * static_cast<double>(tasks) * std::numeric_limits<double>::epsilon();
}

/// Computes the bounds. They are infinite if no device of the machine can run a task's kind, because then there is no
/// schedule. The time is linear in the size of the graph, times the number of paths tried: well under a second for
/// 12,000 tasks.
[[nodiscard]] LowerBounds lower_bounds(const BoundProblem& problem);

}  // namespace troupe::apps
