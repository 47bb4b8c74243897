/// The implementation of `RuntimeSystem`. Included only by the sources that implement it.
#pragma once

#include <atomic>
#include <caf/all.hpp>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "actors/host_views.hpp"
#include "actors/observation/mailbox_record.hpp"
#include "actors/observation/observed_actor.hpp"
#include "actors/observation/watchdog.hpp"
#include "actors/running/data_gate.hpp"
#include "actors/running/run_mode.hpp"
#include "actors/running/runtime_plan.hpp"
#include "actors/running/runtime_system.hpp"
#include "actors/running/stage_counter.hpp"
#include "actors/running/trace_collector.hpp"
#include "actors/running/worker_starts.hpp"
#include "actors/scheduler/scheduler_actor.hpp"
#include "actors/workers/worker_actor.hpp"
#include "graph/codelets/codelet_definition.hpp"
#include "proto/mutex.hpp"
#include "troupe/devices.hpp"

namespace troupe::actors {

/// The configuration of CAF: one control thread or, for runs in one thread, CAF's test scheduler.
struct Configuration : caf::actor_system_config {
  explicit Configuration(bool has_threads) {
    add_message_types<caf::id_block::troupe>();
    // Cooperative actors (supervisor, scheduler) share one control thread. With `sharing`, this thread sleeps when
    // there is nothing to do; with `stealing`, it would poll.
    set("scheduler.policy", caf::atom(has_threads ? "sharing" : "testing"));
    set("scheduler.max-threads", 1);
  }
};

/// The scheduler's side of a runtime under a placing policy.
struct Scheduling {
  Scheduling(bool keeps, bool program_decides, bool workers_decide, std::function<void()> wake)
      : keeps(keeps),
        program_decides(program_decides),
        ends_count(keeps),
        news({.workers_decide = workers_decide, .ends_count = &ends_count, .wake = std::move(wake)}) {}

  /// Ready tasks that the scheduler has not seen yet.
  workers::TaskDeque activation;
  /// Null until the runtime starts.
  std::shared_ptr<scheduler::SchedulerState> state;
  /// True if the policy may keep ready tasks for later (`PolicyTraits::keeps`). Such a policy is asked whenever a task
  /// has ended.
  const bool keeps;
  /// True if the program's thread may decide on the tasks that it submits. False for a policy that the program defines:
  /// such a policy may take long to decide, or may never return.
  const bool program_decides;
  /// True if the scheduler is asked whenever a task has ended: always if `keeps` is true, otherwise only while the
  /// scheduler holds tasks back (`SchedulerState::ends_count`).
  std::atomic<bool> ends_count;
  scheduler::SchedulerNews news;
  /// The groups of each candidate in `RuntimePlan::candidates`.
  std::vector<workers::Grouping::Groups> groupings;
};

class RuntimeSystem::Implementation final : public graph::GraphHost, public scheduler::WorkerQueues {
 public:
  explicit Implementation(RuntimePlan plan);
  ~Implementation() override;

  /// Starts the actors. Throws the failure that kept an actor from starting; `stop` then ends the other actors.
  void start();
  void stop();

  // These functions implement `GraphHost`.
  void activate(graph::TaskList& ready, WorkerId worker) noexcept override;
  Pump pump() override { return mode_->pump(system_); }
  Result<void> bring_home(const graph::DataRecord& data, AccessMode mode) override;
  Result<void> bring_all_home(const graph::TaskOwner& graph) override;
  [[nodiscard]] bool has_enough(WorkerId worker) const override;
  [[nodiscard]] bool has_stack() const override;
  [[nodiscard]] bool is_core(WorkerId worker) const override;
  [[nodiscard]] Result<void> may_wait_inside(WorkerId worker) const override;
  Result<void> wait_inside(WorkerId worker, graph::KernelWait& wait) override;
  void discard(const graph::DataRecord& data) noexcept override;
  void forget(const graph::DataRecord& data) noexcept override;
  [[nodiscard]] std::vector<graph::RunningTask> running_elsewhere(const graph::TaskGraph& graph) override;
  Result<DevicesHere> find_devices(const DeviceSet& devices) override;
  Result<const Codelet*> stand_in(const Codelet& codelet, bool nested) override {
    return mode_->stand_in(codelet, nested);
  }

  // These functions implement `WorkerQueues`.
  graph::Task* next_activated() override;
  void take_events(std::vector<graph::TaskEvent>& out) override { scheduling_->news.take(out); }
  void push(graph::Task* task, WorkerId worker, bool first) override;
  void take_back(TaskId task, WorkerId worker) override;
  void prefetch(NodeId node, const graph::Task& task, std::span<const memory::Use> uses) override {
    if (gate_) gate_->prefetch(node, task, uses);
  }
  [[nodiscard]] TimeStamp now() const override { return mode_->clock().now(); }
  void regroup(std::size_t grouping) override;
  [[nodiscard]] bool regroups() const override { return crew_->grouping->in_progress(); }
  void policy_failed(const std::string& what) override;

  /// Posts a hint for eviction, if the runtime has a memory from which data can be evicted.
  void hint(std::span<const HandleId> handles, const memory::MemoryEvent& event) {
    if (gate_) gate_->hint(handles, event);
  }
  void wake_early(bool waits_for_nothing) noexcept;
  [[nodiscard]] bool places_by_policy() const { return scheduling_ != nullptr; }
  [[nodiscard]] int numa_os_index(NumaId node) const;
  [[nodiscard]] RunReport report() const;
  Trace take_trace();
  [[nodiscard]] MetricsSnapshot metrics() const;
  /// Explains why the tasks of one graph make no progress.
  WhyReport why(graph::TaskGraph& graph);
  std::unique_ptr<ClientGraph> open_graph(const ClientGraphOptions& options);
  [[nodiscard]] LiveView look();
  /// Does what `RuntimeSystem::regroup` says.
  Result<void> regroup(const std::string& clusters);

  /// The workers of a NUMA node. These workers get tasks in turn.
  struct NumaNode {
    std::vector<int> workers;
    /// The number of tasks that went to the node. Relaxed: an old number only changes which worker gets the next task.
    std::atomic<std::uint32_t> turn{0};
  };
  /// The graphs of clients that share the workers.
  struct Clients {
    Mutex mutex;
    std::vector<SharingGraph*> open TROUPE_GUARDED_BY(mutex);
    /// The codelets of graphs that no longer exist. They are kept, because predictions, models and traces still name
    /// them.
    graph::CodeletDefinitions codelets TROUPE_GUARDED_BY(mutex);
    /// The next ids of tasks and handles, which all graphs share.
    std::atomic<std::uint64_t> task_ids{0};
    std::atomic<std::uint64_t> handle_ids{0};
  };

  /// The plan, without its accelerators and its placing policy, which were moved to other objects.
  RuntimePlan plan_;
  /// The NUMA nodes that have workers.
  std::vector<NumaNode> numa_nodes_;
  HostViews views_;
  /// Null if no object of the runtime needs to know tasks before these are ready.
  std::shared_ptr<scheduler::SubmittedTasks> submitted_;
  /// Null if eviction does not need the future uses of data.
  std::shared_ptr<memory::UpcomingTasks> upcoming_;
  std::unique_ptr<RunMode> mode_;
  /// Null if no trace is wanted.
  std::unique_ptr<TraceRecorder> recorder_;
  Clients clients_;
  graph::TaskGraph graph_;
  std::shared_ptr<workers::Crew> crew_;
  std::shared_ptr<workers::Peers> peers_;
  /// Null if there is only host memory.
  std::unique_ptr<DataGate> gate_;

 private:
  std::shared_ptr<workers::WorkerSetup> worker_setup(WorkerId worker, caf::event_based_actor* supervisor);
  caf::actor spawn_worker(caf::event_based_actor* supervisor, WorkerId worker);
  void lost(WorkerId worker, const std::string& reason);
  void make_scheduler_state();
  /// Called only if cores can be regrouped.
  void make_grouping();
  /// Lets the scheduler choose the grouping, if there are several groupings to choose from.
  void let_scheduler_group();
  /// Returns the processing units of the core or cluster that the worker drives at present; empty for an accelerator,
  /// and for a worker that lends its thread.
  [[nodiscard]] std::vector<int> members_of(std::size_t worker) const;
  [[nodiscard]] graph::GraphOptions graph_options(std::span<const DeviceKind> kinds);
  [[nodiscard]] LiveWorker look_at_worker(std::size_t index) TROUPE_REQUIRES(clients_.mutex);
  /// Makes the objects that receive the events of tasks.
  void make_observers();
  /// Returns the processing units that a worker's threads run on.
  [[nodiscard]] platform::CpuSet pus_of(int pu) const;
  [[nodiscard]] DeviceSetup device_setup(WorkerId worker);
  /// Called when a worker's device has stopped working; from any thread, any number of times.
  void device_lost(WorkerId worker);
  [[nodiscard]] std::unique_ptr<workers::Device> make_device(WorkerId worker, workers::DeviceListener& listener);
  /// Returns the queue of tasks that the scheduler has not seen; null under a local policy.
  [[nodiscard]] workers::TaskDeque* activation() { return scheduling_ ? &scheduling_->activation : nullptr; }
  /// Returns the record of the scheduler's mailbox. Must be called only under a placing policy, because other runtimes
  /// have no scheduler.
  [[nodiscard]] observation::MailboxRecord& mailbox_of_scheduler() { return mailboxes_[plan_.places.size() + 1]; }
  /// Takes out of the list the ready tasks that must not go to just any worker (`Crew::set_apart`), and notifies the
  /// scheduler or a worker that can take them.
  void activate_apart(graph::TaskList& ready) noexcept;
  /// Passes the tasks that ask for a NUMA node to that node's workers, and leaves the other tasks in the list.
  void hand_to_numa_nodes(graph::TaskList& ready);
  /// Pushes the task to an idle worker of the node; if there is none, the node's workers take turns.
  void push_to_node(graph::Task* task, std::size_t node);
  /// Wakes an idle worker, if there is one: the first in the order of ids from `near` on.
  void wake_one(WorkerId near);
  /// Called as `WorkerSetup::decide`, in a worker's thread.
  void decide();
  /// Sends the scheduler the message that `left` names, for work that was not done in this thread.
  void leave_to_scheduler(scheduler::SchedulerState::Left left);
  /// Returns a worker on another core than that of the calling thread, because a worker on the same core would have to
  /// wait for the calling thread. The id is invalid if any worker will do.
  [[nodiscard]] WorkerId elsewhere() const;
  caf::actor spawn_observed(observation::MailboxRecord& mailbox, observation::ObservedBehavior::Make make);
  void start_watchdog();

  /// The records of the mailboxes of all workers, then of the supervisor, then of the scheduler and of the memory
  /// manager, if the runtime has these. All records exist before the first actor starts.
  std::deque<observation::MailboxRecord> mailboxes_;
  /// Null under a local policy.
  std::unique_ptr<Scheduling> scheduling_;
  graph::TaskObservers observers_;
  /// Called whenever a task has ended, in the worker's thread; null if nothing has to be done then.
  std::unique_ptr<graph::TaskObserver> at_ends_;
  WorkerStarts starts_;
  friend class SharingGraph;

  Configuration configuration_;
  caf::actor_system system_;
  caf::actor supervisor_;
  std::optional<observation::Watchdog> watchdog_;
};

}  // namespace troupe::actors
