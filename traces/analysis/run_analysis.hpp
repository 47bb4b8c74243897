/// Run analysis: computes from a trace how the time of a run was spent.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "traces/analysis/critical_path.hpp"
#include "traces/analysis/intervals.hpp"
#include "traces/analysis/task_tree.hpp"
#include "troupe/trace.hpp"

namespace troupe::traces {

/// The use of one worker's time. The six durations from `kernels` to `lent` sum up to the time of the run.
struct WorkerUse {
  std::uint64_t tasks = 0;
  /// The time in kernels, including pieces of tasks that other workers began. If a kernel waits for children, this time
  /// counts only as far as the worker runs other tasks meanwhile.
  Duration kernels{};
  /// The time of the runtime's own work between kernels: all time that belongs to none of the other five durations.
  Duration overhead{};
  /// The time spent on steal requests to other workers, or on spinning for work while another worker ran a kernel.
  Duration searching{};
  /// The time in which the worker slept while another worker ran a kernel: no task was ready for this worker.
  Duration waiting{};
  /// The time in which the worker slept or spun while no worker ran a kernel: before the first task, after the last
  /// task, or in between when no task was ready.
  Duration idle{};
  /// The time in which the worker's thread was lent to a cluster of cores. The cluster's kernels count for the worker
  /// that leads the cluster.
  Duration lent{};
  /// The part of `searching` and `waiting` after the last task that the worker ran.
  Duration at_the_end{};
  /// For a cluster of cores: how much of the cores' time the cluster's tasks used. In virtual time this is not known.
  TeamUse team;
};

struct CodeletUse {
  std::string name;
  std::uint64_t tasks = 0;
  std::uint64_t failed = 0;
  Duration total{};
  double mean_s = 0;
  /// The standard deviation of the tasks' times, as an estimate from a sample; 0 for one task.
  double deviation_s = 0;
  Duration shortest{};
  Duration longest{};
  /// The speed of the tasks whose number of operations is known; 0 if there are no such tasks.
  double gflops = 0;
  /// The time that would be saved if the slower tasks ran at the rate (time per operation) of the fastest quartile.
  /// Known for codelets with at least eight tasks whose numbers of operations are all known. Smaller tasks are often
  /// slower by nature, so the value is an upper bound of the time lost by disturbances.
  Duration slowed{};
};

/// The tasks of one codelet in the critical path, and the sum of their times on the path.
struct PathUse {
  std::string codelet;
  std::uint64_t tasks = 0;
  Duration total{};
};

struct RunAnalysis {
  /// The length of the analysed time. The six durations of each `WorkerUse` sum up to this length.
  Duration makespan{};
  std::uint64_t tasks = 0;
  /// The number of dependencies between tasks of the trace.
  std::uint64_t dependencies = 0;
  /// The number of entries that the trace lost. If entries were lost, only the time before the first loss is analysed,
  /// and the critical path is a lower bound.
  std::uint64_t dropped = 0;
  std::vector<WorkerUse> workers;
  /// The codelets, sorted by total, the largest first.
  std::vector<CodeletUse> codelets;
  CriticalPath path;
  /// The codelets of the critical path, sorted by total, the largest first.
  std::vector<PathUse> path_codelets;
  NestedTasks nested;

  /// Returns the number of tasks of the critical path.
  [[nodiscard]] std::uint64_t path_tasks() const;
  /// Returns the sum over all workers.
  [[nodiscard]] WorkerUse sum() const;
  /// Returns the sum of `CodeletUse::slowed` over all codelets.
  [[nodiscard]] Duration slowed() const;
  /// Returns the sum of the times in which workers had no ready task while another worker ran a kernel: they had to
  /// wait for the running tasks. The time after a worker's last task does not count, because it shows poor balance
  /// instead.
  [[nodiscard]] Duration limited_by_dependencies() const;
  /// Returns the time in kernels of all workers together, divided by the number of workers.
  [[nodiscard]] Duration work_bound() const;
  /// Returns the larger of `work_bound` and the length of the critical path: no schedule of these tasks on these
  /// workers ends sooner.
  [[nodiscard]] Duration bound() const;
};

/// Analyses a trace. `window` is the time to analyse, for example a whole run with the time before its first task.
/// Without a window, the time from the first start of a task to the last end of a task is analysed. The window limits
/// the time of workers only: codelets and the critical path always cover all tasks.
[[nodiscard]] RunAnalysis analyse(const Trace& trace, std::size_t workers,
                                  const std::optional<Interval>& window = std::nullopt);

}  // namespace troupe::traces
