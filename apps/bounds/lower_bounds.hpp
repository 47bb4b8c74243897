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
  /// The indices of the tasks, all earlier ones, that must have ended before this task begins.
  std::vector<std::uint32_t> predecessors;
  /// The task takes at least this many times its kind's time, on every type of worker. It differs from 1 if the times
  /// of a run vary (noise).
  double length = 1;
};

/// A task graph and a machine, as numbers.
struct BoundProblem {
  std::vector<BoundTask> tasks;
  std::size_t kinds = 0;
  BoundMachine machine;
};

/// Bounds in seconds. No schedule without preemption, whatever its policy and order, takes less than any of them: each
/// is the least makespan under *some* of the conditions that a schedule fulfils. In each case, let T be the makespan of
/// a schedule.
///
/// `area_s`. Let x(k, r) be the sum of the lengths of the tasks of kind k that ran on workers of type r. These sum up
/// to the lengths of all tasks of kind k, and the workers of a type were busy for sum_k x(k, r) time(k, r), at most T
/// each; so were cores that types share. The least T over all x >= 0 that fulfil this is a linear program.
///
/// `critical_path_s`. The tasks on a path of the graph ran one after the other, each at least for its fastest time.
///
/// `iterated_s`. The area bound with more conditions: of a path's tasks of kind k, let y(k, r) be the lengths of those
/// that ran on type r. They sum up to the path's tasks of kind k, are at most x(k, r), and sum_kr y(k, r) time(k, r) <=
/// T. To balance the load, the area bound puts tasks where they are slow; it does so with a path's tasks too, if it
/// puts all tasks of their kind there. Paths are found one after the other: the paths that take longest under the last
/// solution's x join the program, until none takes more than a thousandth longer than T, or 30 times. This bound is at
/// least as large as the other two. (E. Agullo, O. Beaumont, L. Eyraud-Dubois and S. Kumar, Are Static Schedules so
/// Bad? A Case Study on Cholesky Factorization, IPDPS 2016.)
///
/// `staged_s`, the largest. The iterated bound lets the machine be full from beginning to end, but a graph begins and
/// ends with few tasks. Tasks that a chain of length q follows have all ended at T - q, and tasks that a chain of
/// length q precedes begin at q or later: so the types of worker do their part of these tasks within T - q. x is split
/// by stage (`StagedProblem`), so one program has these conditions for 24 values of q, and the paths; there is one
/// program for ends and one for beginnings.
///
/// The linear programs' bounds come from `LinearProgram::lower_bound`, less what sums over the tasks may lose by
/// rounding (`rounding`), so they hold however exactly the programs were solved. Transfers are left out; they can only
/// make schedules longer.
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

/// Computes the bounds. They are infinite if a task's kind can run on no device of the machine, since there is no
/// schedule then. Linear in the size of the graph, times the number of paths tried: well under a second for 12,000
/// tasks.
[[nodiscard]] LowerBounds lower_bounds(const BoundProblem& problem);

}  // namespace troupe::apps
