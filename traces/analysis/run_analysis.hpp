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
  /// The time in kernels, including pieces of other workers' tasks.
  Duration kernels{};
  /// The time of the runtime's work between kernels: the worker did not run a kernel, ask for work, look around or
  /// sleep.
  Duration overhead{};
  /// The time spent asking other workers for tasks, or looking around for work while another worker ran a kernel.
  Duration searching{};
  /// The time asleep while another worker ran a kernel: the tasks in flight left nothing to do for this worker.
  Duration waiting{};
  /// The time asleep or looking around while no worker ran a kernel: before the first task, after the last, or in
  /// between when the program had submitted no tasks.
  Duration idle{};
  /// The time in which the worker's thread was lent to a cluster. The cluster's kernels count for the worker that leads
  /// it.
  Duration lent{};
  /// The parts of `searching` and `waiting` after the last task that the worker ran.
  Duration at_the_end{};
  /// The part of its cores' time that a cluster's tasks used. In virtual time it is not known.
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
  /// The speed of the tasks whose number of operations is known; 0 if there are none.
  double gflops = 0;
  /// The time by which the tasks took longer than at the rate, in time per operation, of their fastest quartile. Known
  /// for codelets with at least eight tasks whose numbers of operations are all known. Smaller tasks are often slower
  /// by nature, so it is an upper bound of the time lost by disturbances.
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
  /// The codelets, sorted by total, the largest first.
  std::vector<CodeletUse> codelets;
  CriticalPath path;
  /// The codelets of the critical path, sorted by total, the largest first.
  std::vector<PathUse> path_codelets;

  /// Returns the sum over all workers.
  [[nodiscard]] WorkerUse sum() const;
  /// Returns the time that tasks took beyond the rate of the fastest quartile of their codelet: see
  /// `CodeletUse::slowed`.
  [[nodiscard]] Duration slowed() const;
  /// Returns the time of workers without a ready task while others computed, before the worker's last task ended: the
  /// tasks in flight limit the work that can be done. Time after that end is a matter of balance.
  [[nodiscard]] Duration limited_by_dependencies() const;
  /// Returns the time of the kernels, divided evenly among the workers.
  [[nodiscard]] Duration work_bound() const;
  /// Returns the larger of work bound and critical path: no schedule of these tasks on these workers ends sooner.
  [[nodiscard]] Duration bound() const;
};

/// Analyses a trace. `window` is the time to analyse, for example a whole run with the time before its first task.
/// Without a window, the time from the first start of a task to the last end is analysed. The time of workers outside
/// the window does not count; codelets and the critical path always cover all tasks.
[[nodiscard]] RunAnalysis analyse(const Trace& trace, std::size_t workers,
                                  const std::optional<Interval>& window = std::nullopt);

}  // namespace troupe::traces
