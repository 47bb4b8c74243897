/// Makes and starts the parts of a runtime.
#include "actors/observation/stall_explanation.hpp"
#include "actors/running/option_values.hpp"
#include "actors/running/runtime_implementation.hpp"
#include "actors/running/supervisor.hpp"
#include "actors/scheduler/models/learned_model.hpp"
#include "actors/workers/crew_inspection.hpp"
#include "troupe/devices.hpp"
#include "troupe/simulation_options.hpp"

namespace troupe::actors {

namespace {

/// Stands in for a device that could not be made ready.
class UnusableDevice final : public workers::Device {
 public:
  UnusableDevice(std::string name, const Failure& why)
      : name_(std::move(name)), cause_(std::make_shared<Failure>(Failure{ErrorCode::device_lost, why.message})) {}

  [[nodiscard]] std::string name() const override { return name_; }
  workers::Started start(graph::Task& /*task*/, std::span<graph::Task* const> /*behind*/) noexcept override {
    return {true, cause_};
  }

 private:
  const std::string name_;
  const graph::FailureLog::Cause cause_;
};

/// `turnaround`: the time that the host takes from a kernel's end to the begin of the next.
void issue_ahead(workers::WorkerCore::Options& core, std::size_t most, Duration turnaround) {
  // Work of four times this length hides it, even if kernels take half as long as expected; more would only decide too
  // early.
  core.work_ahead = 4 * turnaround;
  core.most_ahead = turnaround > Duration{} ? most : 0;
}

}  // namespace

RuntimeSystem::Implementation::Implementation(RuntimePlan plan)
    : options_(plan.options),
      stages_(std::move(plan.stages)),
      candidates_(std::move(plan.candidates)),
      topology_(std::move(plan.topology)),
      places_(plan.places),
      cooperative_(plan.cooperative()),
      numa_workers_(topology_.cores_by_numa_node()),
      turns_(numa_workers_.size()),
      host_devices_(std::move(plan.host_devices)),
      policy_name_(plan.policy.name),
      submitted_(plan.policy.placing || options_.simulation || !plan.accelerators.empty() || stages_.size() > 1
                     ? std::make_shared<scheduler::SubmittedTasks>()
                     : nullptr),
      upcoming_(options_.eviction == "next-use" && (options_.simulation || !plan.accelerators.empty())
                    ? std::make_shared<memory::UpcomingTasks>()
                    : nullptr),
      recorder_(options_.trace ? std::make_unique<TraceRecorder>(places_.size(), options_.trace_limit) : nullptr),
      graph_(graph_options(plan.kinds()), *this),
      crew_(std::make_shared<workers::Crew>(graph_, plan.kinds(), std::move(plan.policy.stealing))),
      peers_(std::make_shared<workers::Peers>(places_.size(), !cooperative_)),
      placing_(std::move(plan.policy.placing)),
      placing_policy_(placing_ != nullptr),
      policy_keeps_(placing_policy_ && placing_->keeps()),
      ends_count_(policy_keeps_),
      program_decides_(placing_policy_ && !cooperative_ && policy_name_ != kOwnPolicy),
      order_(options_.simulation ? options_.simulation->seed : options_.seed),
      bound_(places_.size()),
      configuration_(cooperative_),
      system_(configuration_) {
  for (std::size_t i = 0; i < places_.size(); ++i) mailboxes_.emplace_back("worker " + std::to_string(i));
  mailboxes_.emplace_back("supervisor");
  if (placing_policy_) mailboxes_.emplace_back("scheduler");
  if (options_.shared) crew_->share_workers(placing_policy_ ? &activation_ : nullptr);
  if (recorder_) recorder_->attach(*crew_);
  make_services(std::move(plan.accelerators));
  if (memories() != nullptr) mailboxes_.emplace_back("memory manager");
}

graph::GraphOptions RuntimeSystem::Implementation::graph_options(std::span<const DeviceKind> kinds) {
  graph::GraphOptions options;
  options.workers = places_.size();
  options.device_kinds = 0;
  for (const DeviceKind kind : kinds) options.device_kinds |= kind_set(kind);
  options.window = options_.window;
  // The text has been checked before.
  options.restrictions = parse_restrictions(options_.restrict).value_or_throw();
  options.stand_ins = options_.simulation != nullptr;
  options.priorities = !options_.simulation || options_.simulation->priorities;
  if (options_.shared) {
    options.task_ids = &task_ids_;
    options.handle_ids = &handle_ids_;
  }
  options.dependency_trace = recorder_ ? recorder_->dependencies() : nullptr;
  if (submitted_) options.observers.push_back(submitted_.get());
  if (upcoming_) options.observers.push_back(upcoming_.get());
  if (options_.observer) options.observers.push_back(options_.observer.get());
  return options;
}

void RuntimeSystem::Implementation::make_services(std::vector<std::unique_ptr<platform::Accelerator>> accelerators) {
  if (!submitted_) return;
  RunServices::Setup setup;
  setup.options = &options_;
  setup.crew = crew_.get();
  setup.peers = peers_.get();
  for (const WorkerPlace& place : places_) setup.nodes.push_back(place.node);
  if (options_.simulation) {
    std::vector<DescribedDevice> devices;
    for (const WorkerPlace& place : places_) devices.push_back(place.device);
    simulation_ = std::make_unique<Simulation>(*options_.simulation, std::move(devices), submitted_, views_);
    if (recorder_) simulation_->record_copies();
  }
  if (!accelerators.empty()) {
    AcceleratorSet::Setup set;
    set.accelerators = std::move(accelerators);
    set.views = &views_;
    set.clock = &clock();
    set.record = options_.trace ? options_.trace_limit : 0;
    accelerators_ = std::make_unique<AcceleratorSet>(std::move(set));
  }
  setup.memories = memories();
  setup.views = &views_;
  setup.cooperative = cooperative_;
  setup.activation = placing_policy_ ? &activation_ : nullptr;
  setup.submitted = submitted_;
  setup.upcoming = upcoming_;
  setup.ends_count = placing_policy_ ? &ends_count_ : nullptr;
  if (stages_.size() > 1) {
    setup.task_ended = [this, counter = std::make_shared<StageCounter>(stages_)] {
      // The stage's clusters have been checked before.
      counter->task_ended([this](const platform::ClusterStage& stage) { (void)regroup(stage.clusters); });
    };
  }
  if (candidates_.size() > 1) {
    // The end of a task that makes no other task ready counts, too.
    setup.task_ended = [this] {
      if (scheduler_state_->wants_to_look()) decide();
    };
  }
  if (placing_policy_) {
    setup.may_issue = [this](WorkerId worker, const graph::Task& task) {
      return scheduler_state_->may_issue(worker, task);
    };
  }
  services_ = std::make_unique<RunServices>(std::move(setup));
  if (simulation_) simulation_->on_lost([this](NodeId node) { services_->node_lost(node); });
  if (accelerators_) accelerators_->on_lost([this](NodeId node) { services_->node_lost(node); });
  crew_->services = services_.get();
}

void RuntimeSystem::Implementation::make_scheduler_state() {
  scheduler::SchedulerCore::Machine machine;
  for (const WorkerPlace& place : places_) machine.workers.push_back({place.device.type, place.node});
  machine.submitted = submitted_;
  if (memories() != nullptr) {
    machine.links = memories()->believed_links();
    for (const memory::NodeDescription& node : memories()->memory_options().nodes) {
      machine.capacities.push_back(node.capacity);
    }
  }
  if (simulation_) {
    machine.model = simulation_->believed_times();
  } else if (!options_.deterministic) {
    // Deterministic runs must not depend on how long anything took.
    kept_history_ =
        std::make_unique<KeptHistory>(model_folder_of(options_.model_folder), topology_.machine, options_.on_warning);
    std::vector<DeviceType> types;
    for (const WorkerPlace& place : places_) types.push_back(place.device.type);
    machine.model = std::make_unique<scheduler::LearnedModel>(kept_history_->history(), types);
  }
  // The scheduler must not own the runtime that owns it.
  std::shared_ptr<scheduler::WorkerQueues> queues(static_cast<scheduler::WorkerQueues*>(this),
                                                  [](scheduler::WorkerQueues*) {});
  const std::uint64_t seed = simulation_ ? simulation_->options().seed : options_.seed;
  scheduler_state_ = std::make_shared<scheduler::SchedulerState>(
      std::move(queues), scheduler::SchedulerCore(std::move(placing_), std::move(machine), seed), submitted_);
  if (!policy_keeps_) scheduler_state_->ends_count = &ends_count_;
}

caf::actor RuntimeSystem::Implementation::spawn_observed(observation::MailboxRecord& mailbox,
                                                         observation::ObservedBehavior::Make make) {
  return system_.spawn<observation::ObservedBehavior>(&mailbox, &clock(), std::move(make));
}

void RuntimeSystem::Implementation::start_watchdog() {
  if (options_.why_after <= Duration{} || !options_.on_stall) return;
  watchdog_.emplace(observation::Watchdog::Options{options_.why_after, [this] { return workers::pulse_of(*crew_); },
                                                   [this](Duration quiet_for) {
                                                     WhyReport report = why(graph_);
                                                     report.quiet_for = quiet_for;
                                                     options_.on_stall(report);
                                                   }});
}

void RuntimeSystem::Implementation::start() {
  if (placing_policy_) make_scheduler_state();
  if (options_.regroup) make_grouping();
  let_scheduler_group();
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
  setup.failed_to_start = [this](std::exception_ptr why) { failed_to_start(std::move(why)); };
  setup.lost = [this](WorkerId worker, const std::string& reason) { lost(worker, reason); };
  auto state = std::make_shared<SupervisorState>(std::move(setup));
  supervisor_ = spawn_observed(
      mailboxes_[crew_->ports.size()],
      [state = std::move(state)](caf::event_based_actor* self) { return supervisor_behavior(self, state); });
  start_watchdog();
  if (cooperative_) {
    while (pump() == Pump::progressed) {
    }
  }
  UniqueLock lock(start_mutex_);
  start_condition_.wait(lock, [&]() TROUPE_REQUIRES(start_mutex_) {
    return start_failure_ || started_ >= crew_->ports.size() || cooperative_;
  });
  if (start_failure_) std::rethrow_exception(start_failure_);
}

std::shared_ptr<workers::WorkerSetup> RuntimeSystem::Implementation::worker_setup(WorkerId worker,
                                                                                  caf::event_based_actor* supervisor) {
  auto setup = std::make_shared<workers::WorkerSetup>();
  const WorkerPlace& place = places_[worker.index()];
  setup->id = worker;
  setup->crew = crew_;
  setup->peers = peers_;
  setup->make_device = [this, worker](workers::DeviceListener& listener) { return make_device(worker, listener); };
  if (placing_policy_) setup->decide = [this] { decide(); };
  setup->clock = &clock();
  setup->mailbox = &mailboxes_[worker.index()];
  setup->pus = pus_of(place.pu);
  setup->cooperative = cooperative_;
  setup->spin = options_.spin;
  const std::uint64_t seed = simulation_ ? simulation_->options().seed : options_.seed;
  setup->core.self = worker;
  setup->core.kind = place.device.type.kind;
  setup->core.seed = seed * 0x9e3779b97f4a7c15ULL + worker.value() + 1;
  setup->core.activation_queue = placing_policy_ ? &activation_ : nullptr;
  setup->core.ends_count = placing_policy_ && !cooperative_ ? &ends_count_ : nullptr;
  setup->core.deterministic = cooperative_;
  setup->core.in_order = placing_policy_;
  setup->core.urgent_first = !policy_keeps_;
  const DeviceTraits& device = traits(place.device.type.kind);
  setup->core.fetches = memories() != nullptr;
  if (simulation_) {
    const SimulationOptions& simulated = simulation_->options();
    setup->core.lookahead = device.own_memory ? simulated.gpu_lookahead : simulated.core_lookahead;
    if (device.queue.issues) {
      issue_ahead(setup->core, simulated.issue_ahead, simulation_->launch_of(worker) + simulation_->notice_of(worker));
    }
  } else {
    setup->core.slots = place.slots != 0 ? place.slots : device.queue.slots;
    setup->polled = device.polled;
    if (accelerators_) setup->core.lookahead = device.own_memory ? options_.gpu_lookahead : options_.core_lookahead;
    if (device.queue.issues) {
      issue_ahead(setup->core, options_.issue_ahead, std::chrono::microseconds(device.queue.round_trip_us));
    }
  }
  setup->supervisor = caf::actor_cast<caf::actor>(supervisor);
  return setup;
}

platform::CpuSet RuntimeSystem::Implementation::pus_of(int pu) const {
  if (options_.bind && topology_.bindable && !simulation_ && pu >= 0) return {pu};
  // If a bound thread started the runtime, all its workers would otherwise be on one core.
  return topology_.machine.this_system ? topology_.allowed_pus : platform::CpuSet{};
}

DeviceSetup RuntimeSystem::Implementation::device_setup(WorkerId worker) {
  const WorkerPlace& place = places_[worker.index()];
  DeviceSetup device;
  device.executor.graph = &graph_;
  device.executor.worker = worker;
  device.executor.name = place.name;
  device.executor.kind = place.device.type.kind;
  device.executor.trace = options_.trace ? &crew_->ports[worker.index()].trace : nullptr;
  device.executor.clock = &clock();
  device.executor.team_use = &crew_->ports[worker.index()].team_use;
  if (memories() != nullptr && memories()->holds_data()) {
    device.executor.find_replica = [this, worker](const graph::DataRecord& data) {
      return services_->replica(data, worker);
    };
  }
  const bool shares_pieces =
      (kind_set(place.device.type.kind) & kOnCores) != 0 && (!cooperative_ || simulation_ != nullptr);
  if (shares_pieces) {
    device.executor.board = &crew_->ports[worker.index()].board;
    device.executor.opened = [this, worker](const workers::SharedPieces& shared) {
      const WorkerId sleeper = crew_->take_idle_for(shared, worker);
      if (sleeper.valid()) peers_->wake(sleeper);
    };
    if (policy_keeps_) {
      device.executor.all_taken = [this](const graph::Task& task) {
        services_->all_taken(task.task_id());
        if (!cooperative_) decide();
      };
    }
  }
  device.node = place.node;
  if (accelerators_ && place.node != memory::kHost) device.memory = &accelerators_->accelerator(place.node);
  device.in_place = place.in_place;
  device.pus = pus_of(place.pu);
  for (const int pu : place.helper_pus) device.helpers.push_back(pus_of(pu));
  device.spin = options_.spin;
  device.on_lost = [this, worker] { device_lost(worker); };
  return device;
}

void RuntimeSystem::Implementation::device_lost(WorkerId worker) {
  if (services_ != nullptr) return services_->worker_lost(worker);
  crew_->ports[worker.index()].lost.store(true, std::memory_order_seq_cst);
  peers_->send(worker, WorkAvailable{});
}

std::unique_ptr<workers::Device> RuntimeSystem::Implementation::make_device(WorkerId worker,
                                                                            workers::DeviceListener& listener) {
  if (simulation_) return simulation_->make_device(device_setup(worker), listener);
  const WorkerPlace& place = places_[worker.index()];
  auto made = device_factory(place.device.type.kind).make(device_setup(worker), listener);
  if (made) return std::move(made).value();
  // The worker's tasks go elsewhere, as if the device had been lost later.
  device_lost(worker);
  return std::make_unique<UnusableDevice>(place.name, made.failure());
}

caf::actor RuntimeSystem::Implementation::spawn_worker(caf::event_based_actor* supervisor, WorkerId worker) {
  auto setup = worker_setup(worker, supervisor);
  if (cooperative_) return supervisor->spawn<workers::WorkerActor>(std::move(setup));
  return supervisor->spawn<workers::WorkerActor, caf::detached>(std::move(setup));
}

}  // namespace troupe::actors
