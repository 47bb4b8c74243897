#include "actors/runtime_system.hpp"

#include <algorithm>
#include <atomic>
#include <caf/all.hpp>
#include <caf/scheduler/test_coordinator.hpp>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>

#include "actors/observation/observed_actor.hpp"
#include "actors/observation/stall_explanation.hpp"
#include "actors/observation/watchdog.hpp"
#include "actors/scheduler/scheduler_actor.hpp"
#include "actors/supervisor.hpp"
#include "actors/trace_collector.hpp"
#include "actors/workers/core_device.hpp"
#include "actors/workers/crew_inspection.hpp"
#include "actors/workers/worker_actor.hpp"
#include "platform/binding.hpp"
#include "platform/clock.hpp"

namespace troupe::actors {

using graph::GraphHost;
using graph::Task;
using graph::TaskList;

namespace {

struct Configuration : caf::actor_system_config {
  explicit Configuration(bool deterministic) {
    add_message_types<caf::id_block::troupe>();
    // Cooperative actors (supervisor, scheduler) share one control thread. `sharing` sleeps when there is nothing to
    // do, where `stealing` polls.
    set("scheduler.policy", caf::atom(deterministic ? "testing" : "sharing"));
    set("scheduler.max-threads", 1);
  }
};

scheduler::Nearness nearness_of(const platform::Topology& topology) {
  scheduler::Nearness nearness;
  for (std::size_t i = 0; i < topology.cores.size(); ++i) {
    nearness.push_back(topology.victim_order(static_cast<int>(i)));
  }
  return nearness;
}

}  // namespace

class RuntimeSystem::Implementation final : public GraphHost, public scheduler::WorkerQueues {
 public:
  Implementation(const RuntimeOptions& options, platform::Topology topology, scheduler::Policy policy);
  ~Implementation() override;

  void start();
  void stop();

  // GraphHost
  void activate(TaskList& ready, WorkerId worker) noexcept override;
  Pump pump() override;

  // WorkerQueues
  Task* next_activated() override { return activation_.pop_oldest(); }
  void queued(std::vector<std::size_t>& out) const override;
  void push(Task* task, WorkerId worker) override;
  void policy_failed(const std::string& what) override;

  [[nodiscard]] int numa_os_index(NumaId node) const;
  [[nodiscard]] RunReport report() const;
  Trace take_trace() { return recorder_ ? recorder_->take(*crew_, clock_) : Trace{}; }
  [[nodiscard]] MetricsSnapshot metrics() const;
  WhyReport why();

  RuntimeOptions options_;
  platform::Topology topology_;
  /// Workers by NUMA node, for those nodes that have any.
  const std::vector<std::vector<int>> numa_workers_;
  /// Tasks that went to each NUMA node, so that its workers take turns. Relaxed: any number will do.
  std::vector<std::atomic<std::uint32_t>> turns_;
  platform::SteadyClock clock_;
  std::string policy_name_;
  /// Null where no trace is wanted.
  std::unique_ptr<TraceRecorder> recorder_;
  graph::TaskGraph graph_;
  std::shared_ptr<workers::Crew> crew_;
  std::shared_ptr<workers::Peers> peers_;

 private:
  std::shared_ptr<workers::WorkerSetup> worker_setup(WorkerId worker, caf::event_based_actor* supervisor);
  caf::actor spawn_worker(caf::event_based_actor* supervisor, WorkerId worker);
  void started(const WorkerStarted& message);
  void lost(WorkerId worker, const std::string& reason);
  void make_scheduler_state();
  /// Hands those tasks that ask for a NUMA node to its workers, and leaves the others in the list.
  void hand_to_numa_nodes(TaskList& ready);
  /// To a worker of the node that is idle, or else to one after the other.
  void push_to_node(Task* task, std::size_t node);
  /// Wakes an idle worker, if there is one: the first at or after `near`.
  void wake_one(WorkerId near);
  /// A worker on another core than the calling thread's, which would have to wait for it.
  [[nodiscard]] WorkerId elsewhere() const;
  caf::actor spawn_observed(observation::MailboxRecord& mailbox, observation::ObservedBehavior::Make make);
  void start_watchdog();

  /// By worker, then the supervisor, then the scheduler where there is one. Complete before the first actor starts.
  std::deque<observation::MailboxRecord> mailboxes_;
  /// Null under a local policy.
  std::shared_ptr<scheduler::SchedulerState> scheduler_state_;

  std::unique_ptr<scheduler::PlacingPolicy> placing_;
  /// Ready tasks that the scheduler has not seen yet; used under a placing policy only.
  workers::TaskDeque activation_;
  bool places_ = false;
  Random order_;
  std::mutex pump_mutex_;

  mutable std::mutex start_mutex_;
  std::condition_variable start_condition_;
  std::vector<bool> bound_;  // guarded by start_mutex_
  std::size_t started_ = 0;  // guarded by start_mutex_

  Configuration configuration_;
  caf::actor_system system_;
  caf::actor supervisor_;
  std::optional<observation::Watchdog> watchdog_;
};

RuntimeSystem::Implementation::Implementation(const RuntimeOptions& options, platform::Topology topology,
                                              scheduler::Policy policy)
    : options_(options),
      topology_(std::move(topology)),
      numa_workers_(topology_.cores_by_numa_node()),
      turns_(numa_workers_.size()),
      policy_name_(policy.name),
      recorder_(options.trace ? std::make_unique<TraceRecorder>(topology_.cores.size(), options.trace_limit) : nullptr),
      graph_({topology_.cores.size(), {true, false}, options.window, recorder_ ? recorder_->dependencies() : nullptr},
             *this),
      crew_(std::make_shared<workers::Crew>(graph_, topology_.cores.size(), std::move(policy.stealing))),
      peers_(std::make_shared<workers::Peers>(topology_.cores.size())),
      placing_(std::move(policy.placing)),
      places_(placing_ != nullptr),
      order_(options.seed),
      bound_(topology_.cores.size()),
      configuration_(options.deterministic),
      system_(configuration_) {
  for (std::size_t i = 0; i < crew_->ports.size(); ++i) mailboxes_.emplace_back("worker " + std::to_string(i));
  mailboxes_.emplace_back("supervisor");
  if (places_) mailboxes_.emplace_back("scheduler");
  if (recorder_) recorder_->attach(*crew_);
}

RuntimeSystem::Implementation::~Implementation() { stop(); }

void RuntimeSystem::Implementation::make_scheduler_state() {
  std::vector<DeviceKind> kinds(crew_->ports.size(), DeviceKind::cpu_core);
  // The scheduler must not own the runtime that owns it.
  std::shared_ptr<scheduler::WorkerQueues> queues(static_cast<scheduler::WorkerQueues*>(this),
                                                  [](scheduler::WorkerQueues*) {});
  scheduler_state_ = std::make_shared<scheduler::SchedulerState>(
      std::move(queues), scheduler::SchedulerCore(std::move(placing_), std::move(kinds), options_.seed));
}

caf::actor RuntimeSystem::Implementation::spawn_observed(observation::MailboxRecord& mailbox,
                                                         observation::ObservedBehavior::Make make) {
  return system_.spawn<observation::ObservedBehavior>(&mailbox, static_cast<const platform::Clock*>(&clock_),
                                                      std::move(make));
}

void RuntimeSystem::Implementation::start_watchdog() {
  if (options_.why_after <= Duration{} || !options_.on_stall) return;
  watchdog_.emplace(observation::Watchdog::Options{options_.why_after, [this] { return workers::pulse_of(*crew_); },
                                                   [this](Duration quiet_for) {
                                                     WhyReport report = why();
                                                     report.quiet_for = quiet_for;
                                                     options_.on_stall(report);
                                                   }});
}

void RuntimeSystem::Implementation::start() {
  if (places_) make_scheduler_state();
  SupervisorSetup setup;
  setup.workers = crew_->ports.size();
  setup.peers = peers_;
  setup.spawn_worker = [this](caf::event_based_actor* supervisor, WorkerId worker) {
    return spawn_worker(supervisor, worker);
  };
  if (places_) {
    setup.spawn_scheduler = [this] {
      return spawn_observed(mailboxes_.back(), [state = scheduler_state_](caf::event_based_actor* self) {
        return scheduler::scheduler_behavior(self, state);
      });
    };
    setup.lost_scheduler = [this](const std::string& reason) { scheduler_state_->rescue(reason); };
  }
  setup.started = [this](const WorkerStarted& message) { started(message); };
  setup.lost = [this](WorkerId worker, const std::string& reason) { lost(worker, reason); };
  auto state = std::make_shared<SupervisorState>(std::move(setup));
  supervisor_ = spawn_observed(
      mailboxes_[crew_->ports.size()],
      [state = std::move(state)](caf::event_based_actor* self) { return supervisor_behavior(self, state); });
  start_watchdog();
  const auto all_started = [&] { return started_ >= crew_->ports.size(); };
  if (options_.deterministic) {
    while (pump() == Pump::progressed) {
    }
    return;
  }
  std::unique_lock lock(start_mutex_);
  start_condition_.wait(lock, all_started);
}

std::shared_ptr<workers::WorkerSetup> RuntimeSystem::Implementation::worker_setup(WorkerId worker,
                                                                                  caf::event_based_actor* supervisor) {
  auto setup = std::make_shared<workers::WorkerSetup>();
  const int pu = topology_.cores[worker.index()].pu;
  setup->id = worker;
  setup->crew = crew_;
  setup->peers = peers_;
  setup->make_device = [this, worker, pu](workers::DeviceListener&) -> std::unique_ptr<workers::Device> {
    return std::make_unique<workers::CoreDevice>(
        workers::CoreDevice::Options{&graph_, worker, "cpu core " + std::to_string(pu),
                                     options_.trace ? &crew_->ports[worker.index()].trace : nullptr, &clock_});
  };
  setup->clock = &clock_;
  setup->mailbox = &mailboxes_[worker.index()];
  if (options_.bind && topology_.bindable) {
    setup->pus = {pu};
  } else if (topology_.machine.this_system) {
    // Else a runtime that a bound thread starts would have all its workers on one core.
    setup->pus = topology_.allowed_pus;
  }
  setup->cooperative = options_.deterministic;
  setup->spin = options_.spin;
  setup->core = {worker, 1, options_.seed * 0x9e3779b97f4a7c15ULL + worker.value() + 1,
                 places_ ? &activation_ : nullptr};
  setup->core.deterministic = options_.deterministic;
  setup->supervisor = caf::actor_cast<caf::actor>(supervisor);
  return setup;
}

caf::actor RuntimeSystem::Implementation::spawn_worker(caf::event_based_actor* supervisor, WorkerId worker) {
  auto setup = worker_setup(worker, supervisor);
  if (options_.deterministic) return supervisor->spawn<workers::WorkerActor>(std::move(setup));
  return supervisor->spawn<workers::WorkerActor, caf::detached>(std::move(setup));
}

void RuntimeSystem::Implementation::started(const WorkerStarted& message) {
  const std::lock_guard lock(start_mutex_);
  bound_[message.worker.index()] = message.bound;
  ++started_;
  start_condition_.notify_all();
}

void RuntimeSystem::Implementation::lost(WorkerId worker, const std::string& reason) {
  workers::WorkerPort& port = crew_->ports[worker.index()];
  Task* task = port.running.exchange(nullptr, std::memory_order_acquire);
  if (task == nullptr) return;
  const auto cause = std::make_shared<Failure>(
      Failure{ErrorCode::kernel_failed, graph::describe(*task) + " was lost with worker " +
                                            std::to_string(worker.value()) + ", whose actor died: " + reason});
  TaskList ready;
  // The worker's thread is gone, so its place in the graph is free to use.
  graph_.complete(*task, cause, worker, ready);
  if (!ready.empty()) activate(ready, WorkerId{});
}

void RuntimeSystem::Implementation::activate(TaskList& ready, WorkerId worker) noexcept {
  if (places_) {
    activation_.push(ready);
    peers_->tell_scheduler();
    return;
  }
  if (numa_workers_.size() > 1 && !worker.valid() && !crew_->plan.shared_queue) {
    hand_to_numa_nodes(ready);
    if (ready.empty()) return;
  }
  if (worker.valid() && !crew_->plan.shared_queue) {
    crew_->ports[worker.index()].deque.push(ready);
  } else {
    crew_->entry.push(ready);
  }
  if (!crew_->idle.empty()) wake_one(worker.valid() ? worker : elsewhere());
}

void RuntimeSystem::Implementation::wake_one(WorkerId near) {
  const WorkerId sleeper = crew_->take_idle(near);
  if (sleeper.valid()) peers_->send(sleeper, WorkAvailable{});
}

void RuntimeSystem::Implementation::hand_to_numa_nodes(TaskList& ready) {
  TaskList others;
  while (!ready.empty()) {
    Task* task = ready.pop_front();
    if (!task->numa_node.valid() || task->numa_node.index() >= numa_workers_.size()) {
      others.push_back(task);
      continue;
    }
    push_to_node(task, task->numa_node.index());
  }
  ready.append(others);
}

void RuntimeSystem::Implementation::push_to_node(Task* task, std::size_t node) {
  const std::vector<int>& workers = numa_workers_[node];
  const std::size_t turn = turns_[node].fetch_add(1, std::memory_order_relaxed);
  const auto worker = [&](std::size_t i) {
    return WorkerId(static_cast<std::uint32_t>(workers[(turn + i) % workers.size()]));
  };
  for (std::size_t i = 0; i < workers.size(); ++i) {
    if (!crew_->idle.erase(worker(i))) continue;
    crew_->ports[worker(i).index()].deque.push(task);
    peers_->send(worker(i), WorkAvailable{});
    return;
  }
  crew_->ports[worker(0).index()].deque.push(task);
  // All of the node are busy, perhaps for long: somebody else may steal it.
  wake_one(worker(0));
}

int RuntimeSystem::Implementation::numa_os_index(NumaId node) const {
  if (!node.valid() || node.index() >= numa_workers_.size() || !topology_.machine.this_system) return -1;
  const auto worker = static_cast<std::size_t>(numa_workers_[node.index()].front());
  return topology_.machine.numa_nodes[static_cast<std::size_t>(topology_.cores[worker].numa_node)].os_index;
}

WorkerId RuntimeSystem::Implementation::elsewhere() const {
  // Which core the thread happens to be on must not matter.
  if (options_.deterministic) return WorkerId{};
  const auto found = std::find_if(topology_.cores.begin(), topology_.cores.end(),
                                  [pu = platform::this_pu()](const auto& core) { return core.pu == pu; });
  if (found == topology_.cores.end()) return WorkerId{};
  const auto next = static_cast<std::size_t>(found - topology_.cores.begin() + 1);
  return WorkerId(static_cast<std::uint32_t>(next % topology_.cores.size()));
}

void RuntimeSystem::Implementation::queued(std::vector<std::size_t>& out) const {
  out.clear();
  for (const workers::WorkerPort& port : crew_->ports) out.push_back(port.deque.size());
}

void RuntimeSystem::Implementation::policy_failed(const std::string& what) {
  graph_.failures().add({ErrorCode::policy_failed, "policy '" + policy_name_ + "' " + what});
}

void RuntimeSystem::Implementation::push(Task* task, WorkerId worker) {
  crew_->ports[worker.index()].deque.push(task);
  // A worker that is awake looks into its deque before it sleeps.
  if (crew_->idle.erase(worker)) peers_->send(worker, WorkAvailable{});
}

GraphHost::Pump RuntimeSystem::Implementation::pump() {
  if (!options_.deterministic) return Pump::block;
  const std::lock_guard lock(pump_mutex_);
  auto& coordinator = static_cast<caf::scheduler::test_coordinator&>(system_.scheduler());
  auto& jobs = coordinator.jobs;
  if (jobs.empty()) return Pump::exhausted;
  // A random actor handles its next message.
  std::swap(jobs.front(), jobs[order_.below(static_cast<std::uint32_t>(jobs.size()))]);
  coordinator.run_once();
  return Pump::progressed;
}

void RuntimeSystem::Implementation::stop() {
  // Twice: tasks may submit tasks until the last one has ended. What failed has been reported to whoever waited; a
  // destructor has nobody to tell.
  [[maybe_unused]] Result<void> outcome = graph_.wait_all();
  outcome = graph_.stop_submissions();
  outcome = graph_.wait_all();
  watchdog_.reset();
  caf::anon_send(supervisor_, Stop{});
  supervisor_ = nullptr;
  if (options_.deterministic) {
    while (pump() == Pump::progressed) {
    }
  } else {
    // Before the system's destructor, and with no worker's address kept: see the notes on CAF.
    system_.await_all_actors_done();
  }
  peers_->clear();
}

RunReport RuntimeSystem::Implementation::report() const {
  const graph::GraphProgress progress = graph_.progress();
  RunReport report{progress.submitted, progress.ended, {}};
  const std::lock_guard lock(start_mutex_);
  for (std::size_t i = 0; i < crew_->ports.size(); ++i) {
    const workers::WorkerCounters& counters = crew_->ports[i].counters;
    const int pu = topology_.cores[i].pu;
    WorkerReport worker;
    worker.worker = WorkerId(static_cast<std::uint32_t>(i));
    worker.device = "cpu core " + std::to_string(pu);
    worker.bound_to = bound_[i] ? pu : -1;
    worker.tasks = counters.tasks.load(std::memory_order_relaxed);
    worker.steals = counters.steals.load(std::memory_order_relaxed);
    worker.stolen_tasks = counters.stolen_tasks.load(std::memory_order_relaxed);
    worker.failed_steals = counters.failed_steals.load(std::memory_order_relaxed);
    worker.parks = counters.parks.load(std::memory_order_relaxed);
    worker.busy = Duration(counters.busy_ns.load(std::memory_order_relaxed));
    worker.searching = Duration(counters.searching_ns.load(std::memory_order_relaxed));
    report.workers.push_back(std::move(worker));
  }
  return report;
}

MetricsSnapshot RuntimeSystem::Implementation::metrics() const {
  MetricsSnapshot snapshot;
  for (const observation::MailboxRecord& mailbox : mailboxes_) snapshot.mailboxes.push_back(mailbox.snapshot());
  return snapshot;
}

WhyReport RuntimeSystem::Implementation::why() {
  WhyReport report;
  graph_.inspect([this] { return workers::running_tasks(*crew_); },
                 [&](const graph::GraphSnapshot& graph) {
                   observation::CrewSnapshot crew = workers::look_at(*crew_);
                   for (std::size_t i = 0; i < crew.workers.size(); ++i) {
                     crew.workers[i].device = "cpu core " + std::to_string(topology_.cores[i].pu);
                   }
                   crew.policy = policy_name_;
                   if (places_) crew.undecided = activation_.size() + scheduler_state_->undecided_count();
                   crew.scheduler_died = places_ && !mailboxes_.back().open();
                   crew.now = clock_.now();
                   report = observation::explain(graph, crew);
                 });
  return report;
}

Result<std::unique_ptr<RuntimeSystem>> RuntimeSystem::start(const RuntimeOptions& options,
                                                            std::unique_ptr<scheduler::PlacingPolicy> placing) {
  if (options.window == 0) {
    return Failure{ErrorCode::invalid_argument, "the submission window must hold at least one task"};
  }
  platform::TopologyOptions topology_options;
  topology_options.cores = options.cores;
  topology_options.use_hyperthreads = options.use_hyperthreads;
  topology_options.oversubscribe = options.oversubscribe || options.deterministic;
  topology_options.restrict_to = options.restrict_to;
  topology_options.synthetic = options.synthetic_topology;
  topology_options.system_root = options.system_root;
  auto topology = platform::Topology::discover(topology_options);
  if (!topology) return topology.failure();
  scheduler::Policy policy;
  if (placing) {
    policy.name = "custom";
    policy.stealing.victims.resize(topology.value().cores.size());
    policy.placing = std::move(placing);
  } else {
    auto made = scheduler::make_policy(options.policy, nearness_of(topology.value()));
    if (!made) return made.failure();
    policy = std::move(made).value();
  }
  auto implementation = std::make_unique<Implementation>(options, std::move(topology).value(), std::move(policy));
  implementation->start();
  return std::unique_ptr<RuntimeSystem>(new RuntimeSystem(std::move(implementation)));
}

RuntimeSystem::RuntimeSystem(std::unique_ptr<Implementation> implementation)
    : implementation_(std::move(implementation)) {}
RuntimeSystem::~RuntimeSystem() = default;

graph::TaskGraph& RuntimeSystem::graph() { return implementation_->graph_; }
const platform::Topology& RuntimeSystem::topology() const { return implementation_->topology_; }
std::size_t RuntimeSystem::workers() const { return implementation_->crew_->ports.size(); }
std::size_t RuntimeSystem::numa_nodes() const { return implementation_->numa_workers_.size(); }
int RuntimeSystem::numa_os_index(NumaId node) const { return implementation_->numa_os_index(node); }
const std::string& RuntimeSystem::policy() const { return implementation_->policy_name_; }
RunReport RuntimeSystem::report() const { return implementation_->report(); }
Trace RuntimeSystem::take_trace() { return implementation_->take_trace(); }
MetricsSnapshot RuntimeSystem::metrics() const { return implementation_->metrics(); }
WhyReport RuntimeSystem::why() const { return implementation_->why(); }

void RuntimeSystem::kill_scheduler() {
  const caf::actor actor = implementation_->peers_->scheduler();
  if (actor) caf::anon_send_exit(actor, caf::exit_reason::kill);
}

void RuntimeSystem::kill_worker(WorkerId worker) {
  const caf::actor actor = implementation_->peers_->get(worker);
  if (actor) caf::anon_send_exit(actor, caf::exit_reason::kill);
}

}  // namespace troupe::actors
