/// Run analysis: shows how the time of a run was spent, from its trace.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "traces/analysis/critical_path.hpp"
#include "traces/analysis/intervals.hpp"
#include "troupe/trace.hpp"

namespace troupe::traces {

/// The use of one worker's time: the six parts sum up to the time of the run.
struct WorkerUse {
  std::uint64_t tasks = 0;
  /// Time in kernels, including pieces of other workers' tasks.
  Duration kernels{};
  /// Time of the runtime's work between kernels: the worker did not run a kernel, ask for work, look around or sleep.
  Duration overhead{};
  /// Time of asking other workers for tasks, or of looking around for work while another worker ran a kernel.
  Duration searching{};
  /// Time asleep while another worker ran a kernel: the tasks in flight left nothing to do for this worker.
  Duration waiting{};
  /// Time asleep or looking around while no worker ran anything: before the first task, after the last, or in between
  /// when the program had submitted nothing.
  Duration idle{};
  /// Time in which its thread was lent to a cluster. The cluster's kernels count for the worker that leads it.
  Duration lent{};
  /// The parts of `searching` and `waiting` after the last task that it ran.
  Duration at_the_end{};
  /// The share of its cores' time that a cluster's tasks used. In virtual time it is not known.
  TeamUse team;
};

struct CodeletUse {
  std::string name;
  std::uint64_t tasks = 0;
  std::uint64_t failed = 0;
  Duration total{};
  double mean_s = 0;
  /// The standard deviation of the sample; 0 for one task.
  double deviation_s = 0;
  Duration shortest{};
  Duration longest{};
  /// The speed of the tasks that say how much they computed; 0 if none does.
  double gflops = 0;
  /// The time that the tasks took beyond the rate, in time per operation, of their fastest quartile. Known for codelets
  /// with at least eight tasks, all of which say how much they computed. Smaller tasks are often slower by nature, so
  /// it is an upper bound of the time lost by disturbances.
  Duration slowed{};
};

/// The part of one codelet in the critical path.
struct PathUse {
  std::string codelet;
  std::uint64_t tasks = 0;
  Duration total{};
};

struct RunAnalysis {
  /// The time that was analysed; every worker's parts sum up to it.
  Duration makespan{};
  std::uint64_t tasks = 0;
  /// The number of dependencies between tasks of the trace.
  std::uint64_t dependencies = 0;
  /// The number of entries that the trace lost. If there are any, only the time before the first loss is analysed, and
  /// the critical path is a lower bound.
  std::uint64_t dropped = 0;
  std::vector<WorkerUse> workers;
  /// Sorted by total, the largest first.
  std::vector<CodeletUse> codelets;
  CriticalPath path;
  /// Sorted by total, the largest first.
  std::vector<PathUse> path_codelets;

  /// The sum over all workers.
  [[nodiscard]] WorkerUse sum() const;
  /// The time that tasks took beyond the rate of the fastest quartile of their codelet: see `CodeletUse::slowed`.
  [[nodiscard]] Duration slowed() const;
  /// The time of workers without a ready task while others computed, before the worker's last task ended: the tasks in
  /// flight limit the work that can be done. The time after it is a matter of balance.
  [[nodiscard]] Duration limited_by_dependencies() const;
  /// The time of the kernels, spread evenly over the workers.
  [[nodiscard]] Duration work_bound() const;
  /// The larger of work bound and critical path: no schedule of these tasks on these workers ends sooner.
  [[nodiscard]] Duration bound() const;
};

/// `window`: the time to analyse, for instance a whole run with the time before its first task. Without it, the time
/// from the first start of a task to the last end. The time of workers outside the window does not count; codelets and
/// the critical path are always of all tasks. A pure function.
[[nodiscard]] RunAnalysis analyse(const Trace& trace, std::size_t workers,
                                  const std::optional<Interval>& window = std::nullopt);

}  // namespace troupe::traces
