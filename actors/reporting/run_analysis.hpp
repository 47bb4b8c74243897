/// Where the time of a run went, from its trace.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "actors/reporting/critical_path.hpp"
#include "actors/reporting/intervals.hpp"
#include "actors/reporting/trace.hpp"

namespace troupe::actors {

/// What one worker did: the six parts sum up to the time of the run.
struct WorkerUse {
  std::uint64_t tasks = 0;
  /// In kernels, pieces of other workers' tasks included.
  Duration kernels{};
  /// The runtime's work between kernels: it neither ran one, nor asked for work, nor looked around, nor slept.
  Duration overhead{};
  /// Asking other workers for tasks, or looking around for work while another worker ran a kernel.
  Duration searching{};
  /// Asleep while another worker ran a kernel: what was in flight left nothing to do for this one.
  Duration waiting{};
  /// Asleep or looking around while no worker ran anything: before the first task, after the last, or in between when
  /// the program had submitted nothing.
  Duration idle{};
  /// Its thread was lent to a cluster, whose kernels are those of the worker that leads it.
  Duration lent{};
  /// The parts of `searching` and `waiting` after the last task that it ran.
  Duration at_the_end{};
  /// Of a cluster: how much of its cores' time its tasks used. In virtual time nothing is known of it.
  TeamUse team;
};

struct CodeletUse {
  std::string name;
  std::uint64_t tasks = 0;
  std::uint64_t failed = 0;
  Duration total{};
  double mean_s = 0;
  /// Standard deviation of the sample; 0 for one task.
  double deviation_s = 0;
  Duration shortest{};
  Duration longest{};
  /// Of the tasks that say how much they computed; 0 where none does.
  double gflops = 0;
  /// What they took beyond the rate of their fastest quartile, in time per operation. Known for codelets of which at
  /// least eight tasks, and all of them, say how much they computed; smaller tasks are often slower by nature, so it is
  /// an upper bound of what disturbed them.
  Duration slowed{};
};

/// The critical path by codelet.
struct PathUse {
  std::string codelet;
  std::uint64_t tasks = 0;
  Duration total{};
};

struct RunAnalysis {
  /// The time that was analysed; every worker's parts sum up to it.
  Duration makespan{};
  std::uint64_t tasks = 0;
  /// Between tasks of the trace.
  std::uint64_t dependencies = 0;
  /// Entries that the trace lost. If there are any, only the time before the first loss is analysed, and the critical
  /// path is a lower bound.
  std::uint64_t dropped = 0;
  std::vector<WorkerUse> workers;
  /// By descending total.
  std::vector<CodeletUse> codelets;
  CriticalPath path;
  /// By descending total.
  std::vector<PathUse> path_codelets;

  /// Over all workers.
  [[nodiscard]] WorkerUse sum() const;
  /// What tasks took beyond the rate of the fastest quarter of their codelet: see `CodeletUse::slowed`.
  [[nodiscard]] Duration slowed() const;
  /// Time of workers without a ready task while others computed, before the end of the run: what was in flight bounds
  /// what can be done. At the end it is a matter of balance.
  [[nodiscard]] Duration limited_by_dependencies() const;
  /// The time of the kernels spread evenly over the workers.
  [[nodiscard]] Duration work_bound() const;
  /// No schedule of these tasks on these workers ends sooner than this: the larger of work and critical path.
  [[nodiscard]] Duration bound() const;
};

/// `window`: the time to analyse, for instance all of a run with what precedes its first task; without it, from the
/// first start of a task to the last end. What workers did outside of it does not count; codelets and the critical path
/// are always of all tasks. Pure.
[[nodiscard]] RunAnalysis analyse(const Trace& trace, std::size_t workers,
                                  const std::optional<Interval>& window = std::nullopt);

}  // namespace troupe::actors
