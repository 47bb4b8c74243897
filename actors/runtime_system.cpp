#include "actors/runtime_system.hpp"

#include <algorithm>
#include <atomic>
#include <caf/all.hpp>
#include <caf/scheduler/test_coordinator.hpp>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>

#include "actors/kept_history.hpp"
#include "actors/observation/observed_actor.hpp"
#include "actors/observation/stall_explanation.hpp"
#include "actors/observation/watchdog.hpp"
#include "actors/run_services.hpp"
#include "actors/runtime_plan.hpp"
#include "actors/scheduler/learned_model.hpp"
#include "actors/scheduler/scheduler_actor.hpp"
#include "actors/simulation.hpp"
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

}  // namespace

class RuntimeSystem::Implementation final : public GraphHost, public scheduler::WorkerQueues {
 public:
  explicit Implementation(RuntimePlan plan);
  ~Implementation() override;

  void start();
  void stop();

  // GraphHost
  void activate(TaskList& ready, WorkerId worker) noexcept override;
  Pump pump() override;
  Result<void> bring_home(const graph::DataRecord& data, AccessMode mode) override;
  void forget(const graph::DataRecord& data) noexcept override;

  // WorkerQueues
  Task* next_activated() override;
  void take_events(std::vector<scheduler::SchedulerEvent>& out) override { services_->take_events(out); }
  void push(Task* task, WorkerId worker, bool first) override;
  void prefetch(NodeId node, const Task& task, std::span<const memory::Use> uses) override {
    services_->prefetch(node, task, uses);
  }
  [[nodiscard]] TimeStamp now() const override { return clock().now(); }
  void policy_failed(const std::string& what) override;

  [[nodiscard]] int numa_os_index(NumaId node) const;
  [[nodiscard]] RunReport report() const;
  Trace take_trace();
  [[nodiscard]] const platform::Clock& clock() const {
    return simulation_ ? simulation_->time().clock() : static_cast<const platform::Clock&>(steady_clock_);
  }
  [[nodiscard]] MetricsSnapshot metrics() const;
  WhyReport why();

  const RuntimeOptions options_;
  const platform::Topology topology_;
  const std::vector<WorkerPlace> places_;
  const bool cooperative_;
  /// Workers by NUMA node, for those nodes that have any.
  const std::vector<std::vector<int>> numa_workers_;
  /// Tasks that went to each NUMA node, so that its workers take turns. Relaxed: any number will do.
  std::vector<std::atomic<std::uint32_t>> turns_;
  platform::SteadyClock steady_clock_;
  /// Null on this machine.
  std::unique_ptr<Simulation> simulation_;
  std::string policy_name_;
  /// Null where nobody looks ahead.
  std::shared_ptr<scheduler::SubmittedTasks> submitted_;
  /// Null where no trace is wanted.
  std::unique_ptr<TraceRecorder> recorder_;
  graph::TaskGraph graph_;
  std::shared_ptr<workers::Crew> crew_;
  std::shared_ptr<workers::Peers> peers_;
  /// Null where data need no fetching and no scheduler wants to know.
  std::unique_ptr<RunServices> services_;

 private:
  std::shared_ptr<workers::WorkerSetup> worker_setup(WorkerId worker, caf::event_based_actor* supervisor);
  caf::actor spawn_worker(caf::event_based_actor* supervisor, WorkerId worker);
  void started(const WorkerStarted& message);
  void lost(WorkerId worker, const std::string& reason);
  void make_scheduler_state();
  graph::GraphOptions graph_options(const RuntimePlan& plan);
  void make_services();
  workers::CoreDevice::Options core_device(WorkerId worker);
  /// Before actors look: a runtime without an actor has no place for it.
  [[nodiscard]] observation::MailboxRecord& mailbox_of_scheduler() { return mailboxes_[places_.size() + 1]; }
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

  /// By worker, then the supervisor, the scheduler and the memory manager where there are any. Complete before the
  /// first actor starts.
  std::deque<observation::MailboxRecord> mailboxes_;
  /// Null under a local policy.
  std::shared_ptr<scheduler::SchedulerState> scheduler_state_;
  /// Null where nothing is learned on this machine.
  std::unique_ptr<KeptHistory> kept_history_;

  std::unique_ptr<scheduler::PlacingPolicy> placing_;
  /// Ready tasks that the scheduler has not seen yet; used under a placing policy only.
  workers::TaskDeque activation_;
  const bool placing_policy_;
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

RuntimeSystem::Implementation::Implementation(RuntimePlan plan)
    : options_(plan.options),
      topology_(std::move(plan.topology)),
      places_(plan.places),
      cooperative_(plan.cooperative()),
      numa_workers_(topology_.cores_by_numa_node()),
      turns_(numa_workers_.size()),
      policy_name_(plan.policy.name),
      submitted_(plan.policy.placing || options_.simulation ? std::make_shared<scheduler::SubmittedTasks>() : nullptr),
      recorder_(options_.trace ? std::make_unique<TraceRecorder>(places_.size(), options_.trace_limit) : nullptr),
      graph_(graph_options(plan), *this),
      crew_(std::make_shared<workers::Crew>(graph_, plan.kinds(), std::move(plan.policy.stealing))),
      peers_(std::make_shared<workers::Peers>(places_.size())),
      placing_(std::move(plan.policy.placing)),
      placing_policy_(placing_ != nullptr),
      order_(options_.simulation ? options_.simulation->seed : options_.seed),
      bound_(places_.size()),
      configuration_(cooperative_),
      system_(configuration_) {
  for (std::size_t i = 0; i < places_.size(); ++i) mailboxes_.emplace_back("worker " + std::to_string(i));
  mailboxes_.emplace_back("supervisor");
  if (placing_policy_) mailboxes_.emplace_back("scheduler");
  if (recorder_) recorder_->attach(*crew_);
  make_services();
  if (simulation_) mailboxes_.emplace_back("memory manager");
}

graph::GraphOptions RuntimeSystem::Implementation::graph_options(const RuntimePlan& plan) {
  graph::GraphOptions options;
  options.workers = places_.size();
  options.device_kinds = {};
  for (const DeviceKind kind : plan.kinds()) options.device_kinds[static_cast<std::size_t>(kind)] = true;
  options.window = options_.window;
  options.dependency_trace = recorder_ ? recorder_->dependencies() : nullptr;
  if (submitted_) options.observers.push_back(submitted_.get());
  if (options_.observer) options.observers.push_back(options_.observer.get());
  return options;
}

void RuntimeSystem::Implementation::make_services() {
  if (!submitted_) return;
  RunServices::Setup setup;
  setup.crew = crew_.get();
  setup.peers = peers_.get();
  for (const WorkerPlace& place : places_) setup.nodes.push_back(place.node);
  if (options_.simulation) {
    std::vector<DescribedDevice> devices;
    for (const WorkerPlace& place : places_) devices.push_back(place.device);
    simulation_ = std::make_unique<Simulation>(*options_.simulation, std::move(devices), submitted_);
    if (recorder_) simulation_->record_copies();
  }
  setup.simulation = simulation_.get();
  setup.clock = &clock();
  setup.submitted = submitted_;
  setup.tell_scheduler = placing_policy_;
  setup.wake_scheduler = placing_policy_ && placing_->keeps();
  services_ = std::make_unique<RunServices>(std::move(setup));
  crew_->services = services_.get();
}

RuntimeSystem::Implementation::~Implementation() { stop(); }

void RuntimeSystem::Implementation::make_scheduler_state() {
  scheduler::SchedulerCore::Machine machine;
  for (const WorkerPlace& place : places_) machine.workers.push_back({place.device.kind, place.node});
  machine.submitted = submitted_;
  if (simulation_) {
    machine.links = simulation_->believed_links();
    machine.model = simulation_->believed_times();
    for (const memory::NodeDescription& node : simulation_->memory_options().nodes) {
      machine.capacities.push_back(node.capacity);
    }
  } else if (!options_.deterministic) {
    // Deterministic runs must not depend on how long anything took.
    kept_history_ = std::make_unique<KeptHistory>(options_.model_folder, topology_.machine, options_.on_warning);
    std::vector<DeviceKind> kinds;
    for (const WorkerPlace& place : places_) kinds.push_back(place.device.kind);
    machine.model = std::make_unique<scheduler::LearnedModel>(kept_history_->history(), std::move(kinds));
  }
  // The scheduler must not own the runtime that owns it.
  std::shared_ptr<scheduler::WorkerQueues> queues(static_cast<scheduler::WorkerQueues*>(this),
                                                  [](scheduler::WorkerQueues*) {});
  const std::uint64_t seed = simulation_ ? simulation_->options().seed : options_.seed;
  scheduler_state_ = std::make_shared<scheduler::SchedulerState>(
      std::move(queues), scheduler::SchedulerCore(std::move(placing_), std::move(machine), seed), submitted_);
}

caf::actor RuntimeSystem::Implementation::spawn_observed(observation::MailboxRecord& mailbox,
                                                         observation::ObservedBehavior::Make make) {
  return system_.spawn<observation::ObservedBehavior>(&mailbox, &clock(), std::move(make));
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
  if (placing_policy_) make_scheduler_state();
  SupervisorSetup setup;
  setup.workers = crew_->ports.size();
  setup.peers = peers_;
  setup.spawn_worker = [this](caf::event_based_actor* supervisor, WorkerId worker) {
    return spawn_worker(supervisor, worker);
  };
  if (placing_policy_) {
    setup.spawn_scheduler = [this] {
      return spawn_observed(mailbox_of_scheduler(), [state = scheduler_state_](caf::event_based_actor* self) {
        return scheduler::scheduler_behavior(self, state);
      });
    };
    setup.lost_scheduler = [this](const std::string& reason) { scheduler_state_->rescue(reason); };
  }
  if (services_ && services_->memory()) {
    setup.spawn_memory = [this] {
      return spawn_observed(mailboxes_.back(), [state = services_->memory()](caf::event_based_actor* self) {
        return memory::memory_behavior(self, state);
      });
    };
  }
  setup.started = [this](const WorkerStarted& message) { started(message); };
  setup.lost = [this](WorkerId worker, const std::string& reason) { lost(worker, reason); };
  auto state = std::make_shared<SupervisorState>(std::move(setup));
  supervisor_ = spawn_observed(
      mailboxes_[crew_->ports.size()],
      [state = std::move(state)](caf::event_based_actor* self) { return supervisor_behavior(self, state); });
  start_watchdog();
  const auto all_started = [&] { return started_ >= crew_->ports.size(); };
  if (cooperative_) {
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
  const WorkerPlace& place = places_[worker.index()];
  setup->id = worker;
  setup->crew = crew_;
  setup->peers = peers_;
  setup->make_device = [this, worker, &place](workers::DeviceListener& listener) -> std::unique_ptr<workers::Device> {
    if (simulation_) return simulation_->make_device(worker, place.name, core_device(worker), listener);
    return std::make_unique<workers::CoreDevice>(core_device(worker));
  };
  setup->clock = &clock();
  setup->mailbox = &mailboxes_[worker.index()];
  if (options_.bind && topology_.bindable && !simulation_) {
    setup->pus = {place.pu};
  } else if (topology_.machine.this_system) {
    // Else a runtime that a bound thread starts would have all its workers on one core.
    setup->pus = topology_.allowed_pus;
  }
  setup->cooperative = cooperative_;
  setup->spin = options_.spin;
  const std::uint64_t seed = simulation_ ? simulation_->options().seed : options_.seed;
  setup->core.self = worker;
  setup->core.kind = place.device.kind;
  setup->core.seed = seed * 0x9e3779b97f4a7c15ULL + worker.value() + 1;
  setup->core.activation_queue = placing_policy_ ? &activation_ : nullptr;
  setup->core.deterministic = cooperative_;
  setup->core.in_order = placing_policy_;
  if (simulation_) {
    setup->core.fetches = true;
    const SimulationOptions& simulated = simulation_->options();
    setup->core.lookahead =
        place.device.kind == DeviceKind::cpu_core ? simulated.core_lookahead : simulated.gpu_lookahead;
  }
  setup->supervisor = caf::actor_cast<caf::actor>(supervisor);
  return setup;
}

workers::CoreDevice::Options RuntimeSystem::Implementation::core_device(WorkerId worker) {
  const WorkerPlace& place = places_[worker.index()];
  workers::CoreDevice::Options device;
  device.graph = &graph_;
  device.worker = worker;
  device.name = place.name;
  device.kind = place.device.kind;
  device.trace = options_.trace ? &crew_->ports[worker.index()].trace : nullptr;
  device.clock = &clock();
  if (simulation_) {
    device.find_replica = [this, node = place.node](const graph::DataRecord& data) {
      return services_->replica(data, node);
    };
  }
  return device;
}

caf::actor RuntimeSystem::Implementation::spawn_worker(caf::event_based_actor* supervisor, WorkerId worker) {
  auto setup = worker_setup(worker, supervisor);
  if (cooperative_) return supervisor->spawn<workers::WorkerActor>(std::move(setup));
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
  // Else the scheduler would wait for its end.
  if (services_) services_->ended(worker, *task, {}, {}, true);
  TaskList ready;
  // The worker's thread is gone, so its place in the graph is free to use.
  graph_.complete(*task, cause, worker, ready);
  if (!ready.empty()) activate(ready, WorkerId{});
}

void RuntimeSystem::Implementation::activate(TaskList& ready, WorkerId worker) noexcept {
  if (placing_policy_) {
    activation_.push(ready);
    peers_->tell_scheduler();
    return;
  }
  if (crew_->mixed) {
    crew_->set_restricted_aside(ready);
    const WorkerId sleeper = crew_->take_idle_for_restricted();
    if (sleeper.valid()) peers_->send(sleeper, WorkAvailable{});
    if (ready.empty()) return;
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
  if (cooperative_) return WorkerId{};
  const auto found = std::find_if(topology_.cores.begin(), topology_.cores.end(),
                                  [pu = platform::this_pu()](const auto& core) { return core.pu == pu; });
  if (found == topology_.cores.end()) return WorkerId{};
  const auto next = static_cast<std::size_t>(found - topology_.cores.begin() + 1);
  return WorkerId(static_cast<std::uint32_t>(next % topology_.cores.size()));
}

Task* RuntimeSystem::Implementation::next_activated() {
  while (Task* task = activation_.pop_oldest()) {
    const bool has_kernel = task->role != graph::TaskRole::replay && task->role != graph::TaskRole::host;
    if (has_kernel) return task;
    // It takes no time on any device, so there is nothing to decide: any worker will do.
    crew_->entry.push(task);
    wake_one(elsewhere());
  }
  return nullptr;
}

void RuntimeSystem::Implementation::policy_failed(const std::string& what) {
  graph_.failures().add({ErrorCode::policy_failed, "policy '" + policy_name_ + "' " + what});
}

void RuntimeSystem::Implementation::push(Task* task, WorkerId worker, bool first) {
  // Their order is the policy's, whatever their priorities.
  const workers::TaskDeque::Entry entry{task, first ? 1 : 0};
  crew_->ports[worker.index()].deque.push({&entry, 1});
  // A worker that is awake looks into its deque before it sleeps.
  if (crew_->idle.erase(worker)) peers_->send(worker, WorkAvailable{});
}

GraphHost::Pump RuntimeSystem::Implementation::pump() {
  if (!cooperative_) return Pump::block;
  const std::lock_guard lock(pump_mutex_);
  auto& coordinator = static_cast<caf::scheduler::test_coordinator&>(system_.scheduler());
  auto& jobs = coordinator.jobs;
  if (jobs.empty()) return simulation_ && simulation_->time().advance() ? Pump::progressed : Pump::exhausted;
  if (!simulation_ || simulation_->options().shuffle_messages) {
    // A random actor handles its next message.
    std::swap(jobs.front(), jobs[order_.below(static_cast<std::uint32_t>(jobs.size()))]);
  }
  coordinator.run_once();
  return Pump::progressed;
}

Result<void> RuntimeSystem::Implementation::bring_home(const graph::DataRecord& data, AccessMode mode) {
  if (!services_) return {};
  return services_->bring_home(data, mode, [this] { return pump() == Pump::progressed; });
}

void RuntimeSystem::Implementation::forget(const graph::DataRecord& data) noexcept {
  if (services_) services_->forget(data);
}

Trace RuntimeSystem::Implementation::take_trace() {
  if (!recorder_) return {};
  Trace trace = recorder_->take(*crew_, clock());
  if (simulation_) trace.transfers = simulation_->take_copies();
  return trace;
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
  if (cooperative_) {
    while (pump() == Pump::progressed) {
    }
  } else {
    // Before the system's destructor, and with no worker's address kept: see the notes on CAF.
    system_.await_all_actors_done();
  }
  peers_->clear();
  if (!kept_history_) return;
  // The last tasks' times wait for a scheduler to look at them.
  (void)scheduler_state_->predictions();
  kept_history_->save();
}

RunReport RuntimeSystem::Implementation::report() const {
  const graph::GraphProgress progress = graph_.progress();
  RunReport report;
  report.submitted = progress.submitted;
  report.ended = progress.ended;
  if (simulation_) report.virtual_time = clock().now();
  if (services_) report.transfers = services_->transfers();
  if (scheduler_state_) report.predictions = scheduler_state_->predictions();
  const std::lock_guard lock(start_mutex_);
  for (std::size_t i = 0; i < crew_->ports.size(); ++i) {
    const workers::WorkerCounters& counters = crew_->ports[i].counters;
    WorkerReport worker;
    worker.worker = WorkerId(static_cast<std::uint32_t>(i));
    worker.device = places_[i].name;
    worker.kind = places_[i].device.kind;
    worker.bound_to = bound_[i] ? places_[i].pu : -1;
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
                   for (std::size_t i = 0; i < crew.workers.size(); ++i) crew.workers[i].device = places_[i].name;
                   crew.policy = policy_name_;
                   if (placing_policy_) crew.undecided = activation_.size() + scheduler_state_->undecided_count();
                   crew.scheduler_died = placing_policy_ && !mailbox_of_scheduler().open();
                   crew.now = clock().now();
                   report = observation::explain(graph, crew);
                 });
  return report;
}

Result<std::unique_ptr<RuntimeSystem>> RuntimeSystem::start(const RuntimeOptions& options,
                                                            std::unique_ptr<scheduler::PlacingPolicy> placing) {
  auto plan = RuntimePlan::make(options, std::move(placing));
  if (!plan) return plan.failure();
  auto implementation = std::make_unique<Implementation>(std::move(plan).value());
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

void RuntimeSystem::kill_memory() {
  const caf::actor actor = implementation_->peers_->memory();
  if (actor) caf::anon_send_exit(actor, caf::exit_reason::kill);
}

void RuntimeSystem::kill_worker(WorkerId worker) {
  const caf::actor actor = implementation_->peers_->get(worker);
  if (actor) caf::anon_send_exit(actor, caf::exit_reason::kill);
}

}  // namespace troupe::actors
