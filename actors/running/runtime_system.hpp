/// Runtime system: the graph with the actors that run it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "actors/running/client_graph.hpp"
#include "actors/running/live_view.hpp"
#include "actors/scheduler/policy.hpp"
#include "graph/task_graph.hpp"
#include "platform/machine/topology.hpp"
#include "troupe/devices.hpp"
#include "troupe/errors.hpp"
#include "troupe/report.hpp"
#include "troupe/runtime_options.hpp"
#include "troupe/trace.hpp"
#include "troupe/why.hpp"

namespace troupe::workers {
class IdleSet;
}

namespace troupe::actors {

class SharingGraph;

/// Starts one worker actor per core, the scheduler if the policy places tasks, and the supervisor. The destructor waits
/// for every task and then ends the actors. Thread-safe, except for construction and destruction.
class RuntimeSystem {
 public:
  /// Starts a runtime. `placing` is a policy that the program defines, used in place of `options.policy`; it may be
  /// null. Fails with `invalid_argument`, `platform` or `out_of_memory`.
  static Result<std::unique_ptr<RuntimeSystem>> start(const RuntimeOptions& options,
                                                      std::unique_ptr<scheduler::PlacingPolicy> placing = nullptr);
  ~RuntimeSystem();
  RuntimeSystem(const RuntimeSystem&) = delete;
  RuntimeSystem& operator=(const RuntimeSystem&) = delete;

  [[nodiscard]] graph::TaskGraph& graph();
  /// Returns the set of sleeping workers. While the set is not empty, a thread that is about to submit a task may call
  /// `wake_early`. Returns null if threads must not call `wake_early`: in runs without threads, and if a policy decides
  /// which worker runs the task.
  [[nodiscard]] const workers::IdleSet* sleepers() const;
  /// Called by a thread that is about to submit a task while a worker sleeps. If the task will be ready because it
  /// waits for nothing, or if all workers sleep, this call begins to wake the worker that the submission would wake.
  /// This saves time, because waking a worker takes as long as the submission. The worker stays in the set of sleepers
  /// until it is awake: so the submission wakes the worker, too, and nothing depends on this call.
  void wake_early(bool waits_for_nothing) noexcept;
  /// Opens a graph for one client; `ThreadOptions::shared` must be true. The graph must not outlive the system.
  [[nodiscard]] std::unique_ptr<ClientGraph> open_graph(const ClientGraphOptions& options);
  /// Regroups the cores; `ThreadOptions::regroup` must be true. `clusters` is "2x10", "socket" and so on; with "single"
  /// each core is alone. Returns at once; the clusters change when the running kernels have ended. If several
  /// regroupings are requested while another regrouping is in progress, only the last request is carried out
  /// afterwards. Fails with `invalid_argument` if these clusters are not possible. May be called from any thread,
  /// including kernels and callbacks; in virtual time and with `deterministic` only from the thread that waits.
  Result<void> regroup(const std::string& clusters);
  /// Returns the present state of the actors. May be called from any thread, at any time.
  [[nodiscard]] LiveView look() const;
  /// Hints for eviction: see `Runtime::set_reuse` and `Runtime::keep`. `unlock` gets the handles that `lock` has
  /// returned. `of` is a client's graph, or null for the runtime's own graph.
  Result<void> set_reuse(const Handle& handle, std::int64_t index, graph::TaskGraph* of = nullptr);
  Result<std::vector<HandleId>> lock(const Handle& handle, graph::TaskGraph* of = nullptr);
  void unlock(std::span<const HandleId> handles);
  [[nodiscard]] const platform::Topology& topology() const;
  [[nodiscard]] std::size_t workers() const;
  /// Returns the kinds of the workers' devices.
  [[nodiscard]] KindSet kinds() const;
  /// `numa_nodes` returns the number of NUMA nodes that have workers; `numa_os_index` returns the operating system's
  /// index of such a node, or -1 if the machine is only described.
  [[nodiscard]] std::size_t numa_nodes() const;
  [[nodiscard]] int numa_os_index(NumaId node) const;
  [[nodiscard]] const std::string& policy() const;
  [[nodiscard]] RunReport report() const;
  /// Returns the records since the last call; empty without `RuntimeOptions::trace`.
  [[nodiscard]] Trace take_trace();
  /// Returns the measurements of every actor's mailbox. May be called from any thread, at any time.
  [[nodiscard]] MetricsSnapshot metrics() const;
  /// Explains which task waits for what, root causes first. May be called from any thread, at any time, including
  /// kernels and callbacks.
  [[nodiscard]] WhyReport why() const;
  /// Ends a worker's actor as a crash would. For tests of the supervisor and for operators.
  void kill_worker(WorkerId worker);
  /// Ends the scheduler's actor, if there is one, as a crash would. Then the tasks that this actor has not placed go to
  /// the least loaded workers, the next wait reports the crash, and another actor continues.
  void kill_scheduler();
  /// Ends the memory manager's actor, if there is one, as a crash would. Then another actor continues with the same
  /// state.
  void kill_memory();

 private:
  friend class SharingGraph;
  class Implementation;
  explicit RuntimeSystem(std::unique_ptr<Implementation> implementation);

  std::unique_ptr<Implementation> implementation_;
};

}  // namespace troupe::actors
