/// The graph with the actors that run it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "actors/observation/metrics_snapshot.hpp"
#include "actors/observation/why_report.hpp"
#include "actors/reporting/run_report.hpp"
#include "actors/reporting/trace.hpp"
#include "actors/running/client_graph.hpp"
#include "actors/running/live_view.hpp"
#include "actors/running/runtime_options.hpp"
#include "actors/scheduler/policy.hpp"
#include "graph/task_graph.hpp"
#include "platform/machine/topology.hpp"
#include "proto/device_kinds.hpp"
#include "proto/errors.hpp"

namespace troupe::workers {
class IdleSet;
}

namespace troupe::actors {

class SharingGraph;

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
  /// The workers that sleep, where whoever is about to submit a task may `wake_early`; null where not: in virtual time,
  /// and where a policy says who is to run it.
  [[nodiscard]] const workers::IdleSet* sleepers() const;
  /// Somebody sleeps, and the calling thread is about to submit a task. Where that will be ready, as it waits for
  /// nothing or everybody sleeps, begins to wake who is going to be woken for it, which takes as long as the
  /// submission. He stays in the set of those that sleep until he is awake, so that nothing depends on this.
  void wake_early(bool waits_for_nothing) noexcept;
  /// A graph for one client, with `RuntimeOptions::shared` only; must not outlive the system.
  [[nodiscard]] std::unique_ptr<ClientGraph> open_graph(const ClientGraphOptions& options);
  /// Groups cores otherwise, with `RuntimeOptions::regroup` only: "2x10", "socket", …; "single": each core alone.
  /// Returns at once; workers change when the kernels have ended that run now. While a regrouping is in progress, the
  /// last that was asked for follows. Fails with `invalid_argument` where there are no such clusters. Any thread,
  /// kernels and callbacks too; in virtual time and with `deterministic` the one that waits.
  Result<void> regroup(const std::string& clusters);
  /// What the actors do now. Any thread, at any time.
  [[nodiscard]] LiveView look() const;
  /// Hints for what leaves a full memory: see `Runtime::set_reuse` and `Runtime::keep`. Whoever unlocks gives the
  /// handles that he got from `lock`. `of`: a client's graph; null: the runtime's own.
  Result<void> set_reuse(const Handle& handle, std::int64_t index, graph::TaskGraph* of = nullptr);
  Result<std::vector<HandleId>> lock(const Handle& handle, graph::TaskGraph* of = nullptr);
  void unlock(std::span<const HandleId> handles);
  [[nodiscard]] const platform::Topology& topology() const;
  [[nodiscard]] std::size_t workers() const;
  /// Of their devices.
  [[nodiscard]] KindSet kinds() const;
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
  friend class SharingGraph;
  class Implementation;
  explicit RuntimeSystem(std::unique_ptr<Implementation> implementation);

  std::unique_ptr<Implementation> implementation_;
};

}  // namespace troupe::actors
