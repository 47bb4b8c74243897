/// The graph with the actors that run it.
#pragma once

#include <memory>
#include <vector>

#include "actors/observation/metrics_snapshot.hpp"
#include "actors/observation/why_report.hpp"
#include "actors/run_report.hpp"
#include "actors/runtime_options.hpp"
#include "actors/scheduler/policy.hpp"
#include "actors/trace.hpp"
#include "graph/task_graph.hpp"
#include "platform/topology.hpp"
#include "proto/errors.hpp"

namespace troupe::actors {

/// Starts one worker actor per core, the scheduler where the policy places tasks, and the supervisor; ends them when
/// it is destroyed, after waiting for every task. Thread-safe apart from construction and destruction.
class RuntimeSystem {
 public:
  /// `placing`: a policy of the program's own instead of `options.policy`; may be null.
  /// Fails with `invalid_argument` or `platform`.
  static Result<std::unique_ptr<RuntimeSystem>> start(const RuntimeOptions& options,
                                                      std::unique_ptr<scheduler::PlacingPolicy> placing = nullptr);
  ~RuntimeSystem();
  RuntimeSystem(const RuntimeSystem&) = delete;
  RuntimeSystem& operator=(const RuntimeSystem&) = delete;

  [[nodiscard]] graph::TaskGraph& graph();
  [[nodiscard]] const platform::Topology& topology() const;
  [[nodiscard]] std::size_t workers() const;
  /// NUMA nodes that have workers, and the operating system's index of one; -1 where the machine is only described.
  [[nodiscard]] std::size_t numa_nodes() const;
  [[nodiscard]] int numa_os_index(NumaId node) const;
  [[nodiscard]] const std::string& policy() const;
  [[nodiscard]] RunReport report() const;
  /// What was recorded since the last call; empty without `RuntimeOptions::trace`.
  [[nodiscard]] Trace take_trace();
  /// The figures of every actor's mailbox. Any thread, at any time.
  [[nodiscard]] MetricsSnapshot metrics() const;
  /// What waits for what, root causes first. Any thread, at any time, kernels and callbacks too.
  [[nodiscard]] WhyReport why() const;
  /// Makes a worker's actor end as a crash would. For tests of the supervisor and for operators.
  void kill_worker(WorkerId worker);
  /// So for the scheduler's, where there is one: tasks that it has not placed go to the least loaded workers, the next
  /// wait says so, and another actor goes on.
  void kill_scheduler();
  /// So for the memory manager's, where there are several memories: another actor goes on with all that it knew.
  void kill_memory();

 private:
  class Implementation;
  explicit RuntimeSystem(std::unique_ptr<Implementation> implementation);

  std::unique_ptr<Implementation> implementation_;
};

}  // namespace troupe::actors
