/// The implementation of `RuntimeSystem`: for its own sources only.
#pragma once

#include <atomic>
#include <caf/all.hpp>
#include <condition_variable>
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
#include "actors/reporting/trace_collector.hpp"
#include "actors/running/accelerator_set.hpp"
#include "actors/running/device_factory.hpp"
#include "actors/running/kept_history.hpp"
#include "actors/running/run_services.hpp"
#include "actors/running/runtime_plan.hpp"
#include "actors/running/runtime_system.hpp"
#include "actors/running/stage_counter.hpp"
#include "actors/scheduler/scheduler_actor.hpp"
#include "actors/simulating/simulation.hpp"
#include "actors/workers/worker_actor.hpp"
#include "graph/codelets/codelet_definition.hpp"
#include "platform/machine/clock.hpp"
#include "proto/mutex.hpp"
#include "troupe/devices.hpp"

namespace troupe::actors {

/// The configuration of CAF: one control thread or, for runs in one thread, its test scheduler.
struct Configuration : caf::actor_system_config {
  explicit Configuration(bool deterministic) {
    add_message_types<caf::id_block::troupe>();
    // Cooperative actors (supervisor, scheduler) share one control thread. `sharing` sleeps when there is nothing to
    // do, where `stealing` polls.
    set("scheduler.policy", caf::atom(deterministic ? "testing" : "sharing"));
    set("scheduler.max-threads", 1);
  }
};

class RuntimeSystem::Implementation final : public graph::GraphHost, public scheduler::WorkerQueues {
 public:
  explicit Implementation(RuntimePlan plan);
  ~Implementation() override;

  /// Throws the failure that kept an actor from starting; `stop` then ends the others.
  void start();
  void stop();

  // GraphHost
  void activate(graph::TaskList& ready, WorkerId worker) noexcept override;
  Pump pump() override;
  Result<void> bring_home(const graph::DataRecord& data, AccessMode mode) override;
  Result<void> bring_all_home(const graph::TaskOwner& graph) override;
  void forget(const graph::DataRecord& data) noexcept override;
  [[nodiscard]] std::vector<graph::RunningTask> running_elsewhere() override;
  Result<DevicesHere> find_devices(const DeviceSet& devices) override;
  Result<const Codelet*> stand_in(const Codelet& codelet) override { return simulation_->stand_ins().of(codelet); }

  // WorkerQueues
  graph::Task* next_activated() override;
  void take_events(std::vector<scheduler::SchedulerEvent>& out) override { services_->take_events(out); }
  void push(graph::Task* task, WorkerId worker, bool first) override;
  void take_back(TaskId task, WorkerId worker) override;
  void prefetch(NodeId node, const graph::Task& task, std::span<const memory::Use> uses) override {
    services_->prefetch(node, task, uses);
  }
  [[nodiscard]] TimeStamp now() const override { return clock().now(); }
  void regroup(std::size_t grouping) override;
  [[nodiscard]] bool regroups() const override { return crew_->grouping->in_progress(); }
  void policy_failed(const std::string& what) override;

  void wake_early(bool waits_for_nothing) noexcept;
  [[nodiscard]] bool places_by_policy() const { return placing_policy_; }
  [[nodiscard]] int numa_os_index(NumaId node) const;
  [[nodiscard]] RunReport report() const;
  Trace take_trace();
  [[nodiscard]] const platform::Clock& clock() const {
    return simulation_ ? simulation_->time().clock() : static_cast<const platform::Clock&>(steady_clock_);
  }
  [[nodiscard]] MetricsSnapshot metrics() const;
  /// Explains why the tasks of one graph do not go on.
  WhyReport why(graph::TaskGraph& graph);
  std::unique_ptr<ClientGraph> open_graph(const ClientGraphOptions& options);
  [[nodiscard]] LiveView look();
  /// See `RuntimeSystem::regroup`.
  Result<void> regroup(const std::string& clusters);

  const RuntimeOptions options_;
  const std::vector<platform::ClusterStage> stages_;
  /// The groupings that the scheduler chooses from; empty if it does not choose.
  const std::vector<platform::ClusterCandidate> candidates_;
  const platform::Topology topology_;
  const std::vector<WorkerPlace> places_;
  const bool cooperative_;
  /// The workers of each NUMA node that has any.
  const std::vector<std::vector<int>> numa_workers_;
  /// The number of tasks that went to each NUMA node, so that its workers take turns. Relaxed: any number will do.
  std::vector<std::atomic<std::uint32_t>> turns_;
  platform::SteadyClock steady_clock_;
  HostViews views_;
  /// Null in a run on this machine.
  std::unique_ptr<Simulation> simulation_;
  /// Null if there are no accelerators, and in virtual time.
  std::unique_ptr<AcceleratorSet> accelerators_;
  std::vector<std::unique_ptr<platform::HostDevice>> host_devices_;
  std::string policy_name_;
  /// Null if nobody looks ahead.
  std::shared_ptr<scheduler::SubmittedTasks> submitted_;
  /// Null if eviction does not look ahead.
  std::shared_ptr<memory::UpcomingTasks> upcoming_;
  /// Null if no trace is wanted.
  std::unique_ptr<TraceRecorder> recorder_;
  /// The next ids, which all graphs share if there are several.
  std::atomic<std::uint64_t> task_ids_{0};
  std::atomic<std::uint64_t> handle_ids_{0};
  graph::TaskGraph graph_;
  std::shared_ptr<workers::Crew> crew_;
  std::shared_ptr<workers::Peers> peers_;
  /// Null if data need no fetching and no scheduler wants to know of tasks.
  std::unique_ptr<RunServices> services_;

 private:
  std::shared_ptr<workers::WorkerSetup> worker_setup(WorkerId worker, caf::event_based_actor* supervisor);
  caf::actor spawn_worker(caf::event_based_actor* supervisor, WorkerId worker);
  void started(const WorkerStarted& message);
  void failed_to_start(std::exception_ptr why);
  void lost(WorkerId worker, const std::string& reason);
  void make_scheduler_state();
  /// Called only if cores can be regrouped.
  void make_grouping();
  /// Lets the scheduler choose the grouping, if there is a choice.
  void let_scheduler_group();
  /// Returns the present members, as `WorkerPlace::members` does; empty for a worker that lends its thread.
  [[nodiscard]] std::vector<int> members_of(std::size_t worker) const;
  [[nodiscard]] graph::GraphOptions graph_options(std::span<const DeviceKind> kinds);
  [[nodiscard]] LiveWorker look_at_worker(std::size_t index) TROUPE_REQUIRES(clients_mutex_);
  void make_services(std::vector<std::unique_ptr<platform::Accelerator>> accelerators);
  /// Returns the PUs that a worker's threads run on.
  [[nodiscard]] platform::CpuSet pus_of(int pu) const;
  [[nodiscard]] DeviceSetup device_setup(WorkerId worker);
  /// Any thread may call it, any number of times.
  void device_lost(WorkerId worker);
  [[nodiscard]] std::unique_ptr<workers::Device> make_device(WorkerId worker, workers::DeviceListener& listener);
  [[nodiscard]] MemoryNodes* memories() {
    return simulation_ ? static_cast<MemoryNodes*>(simulation_.get()) : accelerators_.get();
  }
  /// Must be called only under a placing policy: other runtimes have no such mailbox.
  [[nodiscard]] observation::MailboxRecord& mailbox_of_scheduler() { return mailboxes_[places_.size() + 1]; }
  /// Handles those ready tasks that not every worker may have (`Crew::sets_apart`), and leaves the others in the list.
  void activate_apart(graph::TaskList& ready) noexcept;
  /// Hands the tasks that ask for a NUMA node to its workers, and leaves the others in the list.
  void hand_to_numa_nodes(graph::TaskList& ready);
  /// Pushes the task to an idle worker of the node; if there is none, the node's workers take turns.
  void push_to_node(graph::Task* task, std::size_t node);
  /// Wakes an idle worker, if there is one: the first at or after `near`.
  void wake_one(WorkerId near);
  /// Called in a worker's thread: see `WorkerSetup::decide`.
  void decide();
  /// Tells the scheduler of the decisions that were not made here.
  void leave_to_scheduler(scheduler::SchedulerState::Left left);
  /// Returns a worker on another core than the calling thread's: a worker on the same core would have to wait for that
  /// thread.
  [[nodiscard]] WorkerId elsewhere() const;
  caf::actor spawn_observed(observation::MailboxRecord& mailbox, observation::ObservedBehavior::Make make);
  void start_watchdog();

  /// The mailboxes of the workers, then of the supervisor, and of the scheduler and the memory manager if there are
  /// any. Complete before the first actor starts.
  std::deque<observation::MailboxRecord> mailboxes_;
  /// Null under a local policy.
  std::shared_ptr<scheduler::SchedulerState> scheduler_state_;
  /// Null if nothing is learned on this machine.
  std::unique_ptr<KeptHistory> kept_history_;

  std::unique_ptr<scheduler::PlacingPolicy> placing_;
  /// Ready tasks that the scheduler has not seen yet; used only under a placing policy.
  workers::TaskDeque activation_;
  /// The groups of each candidate.
  std::vector<workers::Grouping::Groups> groupings_;
  const bool placing_policy_;
  /// The policy keeps tasks, and is asked whenever one has ended.
  const bool policy_keeps_;
  /// True if the scheduler is asked whenever a task has ended: always if the policy keeps tasks, otherwise while the
  /// scheduler keeps some (`SchedulerState::ends_count`).
  std::atomic<bool> ends_count_;
  /// True if the program's thread may decide on the tasks that it submits. A policy of the program's own may take long,
  /// or for ever.
  const bool program_decides_;
  Random order_;
  friend class SharingGraph;
  Mutex clients_mutex_;
  std::vector<SharingGraph*> clients_ TROUPE_GUARDED_BY(clients_mutex_);
  /// The codelets of graphs that have gone: predictions, models and traces still name them.
  graph::CodeletDefinitions codelets_of_clients_ TROUPE_GUARDED_BY(clients_mutex_);
  Mutex pump_mutex_;
  bool stopping_ = false;

  mutable Mutex start_mutex_;
  std::condition_variable start_condition_;
  std::vector<bool> bound_ TROUPE_GUARDED_BY(start_mutex_);
  std::size_t started_ TROUPE_GUARDED_BY(start_mutex_) = 0;
  /// The reason why there are fewer workers than planned.
  std::exception_ptr start_failure_ TROUPE_GUARDED_BY(start_mutex_);

  Configuration configuration_;
  caf::actor_system system_;
  caf::actor supervisor_;
  std::optional<observation::Watchdog> watchdog_;
};

}  // namespace troupe::actors
