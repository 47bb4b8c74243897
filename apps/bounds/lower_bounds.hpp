/// How fast any schedule can be at best: lower bounds on the makespan of a task graph on a machine.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

namespace troupe::apps {

inline constexpr double kCannotRun = std::numeric_limits<double>::infinity();

struct BoundTask {
  std::uint32_t kind = 0;
  /// Indices of earlier tasks.
  std::vector<std::uint32_t> predecessors;
};

/// A task graph and a machine, as numbers. Tasks of one kind take equally long on equal devices.
struct BoundProblem {
  std::vector<BoundTask> tasks;
  std::size_t kinds = 0;
  /// By kind and type of resource: the least time that such a task can take there, or `kCannotRun`. The bounds are as
  /// good as these: where the times of a run vary (noise), bounds from mean times hold for mean times only, and those
  /// that must hold for the run need its shortest time of each kind.
  std::vector<std::vector<double>> times_s;
  /// Devices of each type, each of which runs one task at a time. GPUs with times of their own are types of one device.
  std::vector<int> counts;
};

/// Bounds in seconds. No schedule without preemption, whatever its policy and order, takes less than any of them: each
/// is the least makespan under *some* of the conditions that a schedule fulfils. In each case, let T be the makespan of
/// a schedule.
///
/// `area_s`. Let x(k, r) be how many tasks of kind k ran on devices of type r. These sum up to the tasks of kind k, and
/// the devices of a type were busy for sum_k x(k, r) time(k, r), at most T each. The least T over all x >= 0 that
/// fulfil this, whole or not, is a linear program.
///
/// `critical_path_s`. The tasks on a path of the graph ran one after the other, each at least for its fastest time.
///
/// `iterated_s`. The area bound, with more conditions: of a path's tasks of kind k, let y(k, r) be how many ran on type
/// r. They sum up to the path's tasks of kind k, are at most x(k, r), and sum_kr y(k, r) time(k, r) <= T. The area
/// bound puts tasks where they are slow to balance the load; a path's tasks, too, if they are of a kind of which it put
/// all there. Paths are found one after the other: those that take longest under the last solution's x join the
/// program, until none takes more than a thousandth longer than T, or 30 times. At least as large as the other two. (E.
/// Agullo, O. Beaumont, L. Eyraud-Dubois and S. Kumar, Are Static Schedules so Bad? A Case Study on Cholesky
/// Factorization, IPDPS 2016.)
///
/// `staged_s`, the largest. The iterated bound lets the machine be full from beginning to end, but a graph begins and
/// ends with few tasks. Tasks behind which a chain of length q lies have all ended at T - q, and those before which one
/// lies begin at q or later: so the types of resource do their part of these tasks within T - q. x is told apart by
/// stage (`StagedProblem`), so one program has these conditions for 24 values of q, and the paths; one program for ends
/// and one for beginnings.
///
/// The linear programs' bounds come from `LinearProgram::lower_bound`, less 1e-12 of themselves for rounding, so they
/// hold however exactly the programs were solved. Transfers are left out, which can only take longer.
struct LowerBounds {
  double area_s = 0;
  double critical_path_s = 0;
  double iterated_s = 0;
  double staged_s = 0;
};

/// Infinite bounds: a task's kind can run on no device that is there, so there is no schedule. Linear in the size of
/// the graph, times the number of paths tried: well under a second for 12,000 tasks.
[[nodiscard]] LowerBounds lower_bounds(const BoundProblem& problem);

}  // namespace troupe::apps
