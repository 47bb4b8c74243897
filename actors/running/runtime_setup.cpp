/// Makes the objects of a runtime, and starts its actors.
#include "actors/observation/stall_explanation.hpp"
#include "actors/running/runtime_implementation.hpp"
#include "actors/running/supervisor.hpp"
#include "actors/workers/crew_inspection.hpp"
#include "troupe/devices.hpp"
#include "troupe/simulation_options.hpp"

namespace troupe::actors {

namespace {

/// Replaces a device that could not be made. Every task that starts on an `UnusableDevice` fails.
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

class AtEnds final : public graph::TaskObserver {
 public:
  explicit AtEnds(std::function<void()> act) : act_(std::move(act)) {}

  void happened(const graph::TaskEvent& event) override {
    if (event.ends_task()) act_();
  }

 private:
  const std::function<void()> act_;
};

}  // namespace

RuntimeSystem::Implementation::Implementation(RuntimePlan plan)
    : plan_(std::move(plan)),
      numa_nodes_(plan_.topology.cores_by_numa_node().size()),
      submitted_(plan_.policy.placing || plan_.fetches() || plan_.stages.size() > 1
                     ? std::make_shared<scheduler::SubmittedTasks>()
                     : nullptr),
      upcoming_(plan_.options.accelerators.eviction == "next-use" && plan_.fetches()
                    ? std::make_shared<memory::UpcomingTasks>()
                    : nullptr),
      mode_(RunMode::make(plan_, views_, submitted_)),
      recorder_(plan_.options.trace ? std::make_unique<TraceRecorder>(
                                          plan_.places.size(), plan_.options.observation.trace_limit, mode_->clock())
                                    : nullptr),
      graph_(graph_options(plan_.kinds()), *this),
      crew_(std::make_shared<workers::Crew>(graph_, plan_.kinds(), std::move(plan_.policy.stealing))),
      peers_(std::make_shared<workers::Peers>(plan_.places.size(), mode_->has_threads())),
      starts_(plan_.places.size()),
      configuration_(mode_->has_threads()),
      system_(configuration_) {
  const std::vector<std::vector<int>> by_node = plan_.topology.cores_by_numa_node();
  for (std::size_t i = 0; i < by_node.size(); ++i) numa_nodes_[i].workers = by_node[i];
  for (std::size_t i = 0; i < plan_.places.size(); ++i) mailboxes_.emplace_back("worker " + std::to_string(i));
  mailboxes_.emplace_back("supervisor");
  if (plan_.policy.placing) {
    mailboxes_.emplace_back("scheduler");
    const bool has_threads = mode_->has_threads();
    scheduling_ = std::make_unique<Scheduling>(plan_.policy.placing->policy_traits().keeps,
                                               has_threads && plan_.policy.name != kOwnPolicy, has_threads,
                                               [peers = peers_.get()] { peers->tell_scheduler(); });
  }
  if (plan_.options.threads.shared) crew_->share_workers(activation());
  if (recorder_) recorder_->attach(*crew_);
  make_observers();
  if (mode_->memories() != nullptr) mailboxes_.emplace_back("memory manager");
}

graph::GraphOptions RuntimeSystem::Implementation::graph_options(std::span<const DeviceKind> kinds) {
  graph::GraphOptions options;
  options.workers = plan_.places.size();
  options.device_kinds = 0;
  for (const DeviceKind kind : kinds) options.device_kinds |= kind_set(kind);
  options.window = plan_.options.window;
  // The text has been checked before.
  options.restrictions = parse_restrictions(plan_.options.placement.restrict).value_or_throw();
  options.stand_ins = plan_.options.simulation != nullptr;
  if (mode_->has_threads() && !plan_.options.threads.shared) options.cutoff = plan_.options.placement.cutoff;
  if (plan_.options.threads.shared) {
    options.nesting = graph::NestingRules::none();
  } else if (plan_.options.simulation) {
    options.nesting.with_data = plan_.options.simulation->real_buffers;
    options.nesting.calls = false;
  }
  options.priorities = !plan_.options.simulation || plan_.options.simulation->knowledge.priorities;
  options.deadlines = !plan_.cooperative();
  if (plan_.options.threads.shared) {
    options.task_ids = &clients_.task_ids;
    options.handle_ids = &clients_.handle_ids;
  }
  options.dependency_trace = recorder_ ? recorder_->dependencies() : nullptr;
  if (submitted_) options.observers.push_back(submitted_.get());
  if (upcoming_) options.observers.push_back(upcoming_.get());
  if (plan_.options.observation.observer) options.observers.push_back(plan_.options.observation.observer.get());
  return options;
}

void RuntimeSystem::Implementation::make_observers() {
  if (!submitted_) return;
  if (mode_->memories() != nullptr) {
    gate_ = std::make_unique<DataGate>(DataGate::Setup{plan_, *mode_, *crew_, *peers_, views_, *submitted_, upcoming_});
    crew_->data = gate_.get();
    observers_.add(*gate_);
  }
  mode_->on_lost([this](NodeId node) {
    const auto worker = std::ranges::find(plan_.places, node, &WorkerPlace::node);
    device_lost(WorkerId(static_cast<std::uint32_t>(worker - plan_.places.begin())));
  });
  observers_.add(*submitted_);
  if (upcoming_) observers_.add(*upcoming_);
  if (scheduling_) observers_.add(scheduling_->news);
  if (plan_.stages.size() > 1) {
    at_ends_ = std::make_unique<AtEnds>([this, counter = std::make_shared<StageCounter>(plan_.stages)] {
      // The clusters of all stages were checked before, so `regroup` does not fail.
      counter->task_ended([this](const platform::ClusterStage& stage) { (void)regroup(stage.clusters); });
    });
  }
  if (plan_.candidates.size() > 1) {
    // The cluster chooser may examine the tasks whenever a task has ended, even if no other task becomes ready.
    at_ends_ = std::make_unique<AtEnds>([this] {
      if (scheduling_->state->wants_to_look()) decide();
    });
  }
  if (at_ends_) observers_.add(*at_ends_);
  crew_->observer = &observers_;
}

void RuntimeSystem::Implementation::make_scheduler_state() {
  scheduler::SchedulerCore::Machine machine;
  for (const WorkerPlace& place : plan_.places) machine.workers.push_back({place.device.type, place.node});
  machine.submitted = submitted_;
  if (mode_->memories() != nullptr) {
    machine.links = mode_->memories()->believed_links();
    for (const memory::NodeDescription& node : mode_->memories()->memory_options().nodes) {
      machine.capacities.push_back(node.capacity);
    }
  }
  machine.model = mode_->believed_times();
  // The runtime owns the scheduler, so the scheduler must not own the runtime.
  std::shared_ptr<scheduler::WorkerQueues> queues(static_cast<scheduler::WorkerQueues*>(this),
                                                  [](scheduler::WorkerQueues*) {});
  scheduling_->state = std::make_shared<scheduler::SchedulerState>(
      std::move(queues), scheduler::SchedulerCore(std::move(plan_.policy.placing), std::move(machine), mode_->seed()),
      submitted_);
  if (!scheduling_->keeps) scheduling_->state->ends_count = &scheduling_->ends_count;
}

caf::actor RuntimeSystem::Implementation::spawn_observed(observation::MailboxRecord& mailbox,
                                                         observation::ObservedBehavior::Make make) {
  return system_.spawn<observation::ObservedBehavior>(&mailbox, &mode_->clock(), std::move(make));
}

void RuntimeSystem::Implementation::start_watchdog() {
  if (plan_.options.observation.why_after <= Duration{} || !plan_.options.observation.on_stall) return;
  watchdog_.emplace(observation::Watchdog::Options{plan_.options.observation.why_after,
                                                   [this] { return workers::pulse_of(*crew_); },
                                                   [this](Duration quiet_for) {
                                                     WhyReport report = why(graph_);
                                                     report.quiet_for = quiet_for;
                                                     plan_.options.observation.on_stall(report);
                                                   }});
}

void RuntimeSystem::Implementation::start() {
  if (scheduling_) make_scheduler_state();
  if (plan_.options.threads.regroup) make_grouping();
  let_scheduler_group();
  SupervisorSetup setup;
  setup.workers = crew_->ports.size();
  setup.peers = peers_;
  setup.spawn_worker = [this](caf::event_based_actor* supervisor, WorkerId worker) {
    return spawn_worker(supervisor, worker);
  };
  if (scheduling_) {
    setup.spawn_scheduler = [this] {
      return spawn_observed(mailbox_of_scheduler(), [state = scheduling_->state](caf::event_based_actor* self) {
        return scheduler::scheduler_behavior(self, state);
      });
    };
    setup.lost_scheduler = [this](const std::string& reason) { scheduling_->state->rescue(reason); };
  }
  if (gate_) {
    setup.spawn_memory = [this] {
      return spawn_observed(mailboxes_.back(), [state = gate_->memory()](caf::event_based_actor* self) {
        return memory::memory_behavior(self, state);
      });
    };
  }
  setup.started = [this](const WorkerStarted& message) { starts_.started(message.worker, message.bound); };
  setup.failed_to_start = [this](std::exception_ptr why) { starts_.failed(std::move(why)); };
  setup.lost = [this](WorkerId worker, const std::string& reason) { lost(worker, reason); };
  auto state = std::make_shared<SupervisorState>(std::move(setup));
  supervisor_ = spawn_observed(
      mailboxes_[crew_->ports.size()],
      [state = std::move(state)](caf::event_based_actor* self) { return supervisor_behavior(self, state); });
  start_watchdog();
  if (!mode_->has_threads()) {
    while (pump() == Pump::progressed) {
    }
  }
  starts_.wait(mode_->has_threads());
}

std::shared_ptr<workers::WorkerSetup> RuntimeSystem::Implementation::worker_setup(WorkerId worker,
                                                                                  caf::event_based_actor* supervisor) {
  auto setup = std::make_shared<workers::WorkerSetup>();
  const WorkerPlace& place = plan_.places[worker.index()];
  setup->id = worker;
  setup->crew = crew_;
  setup->peers = peers_;
  setup->make_device = [this, worker](workers::DeviceListener& listener) { return make_device(worker, listener); };
  if (scheduling_) setup->decide = [this] { decide(); };
  setup->clock = &mode_->clock();
  setup->mailbox = &mailboxes_[worker.index()];
  setup->pus = pus_of(place.pu);
  setup->cooperative = !mode_->has_threads();
  setup->spin = plan_.options.threads.spin;
  setup->core.self = worker;
  setup->core.kind = place.device.type.kind;
  setup->core.seed = mode_->seed() * 0x9e3779b97f4a7c15ULL + worker.value() + 1;
  setup->core.activation_queue = activation();
  setup->core.ends_count = scheduling_ && mode_->has_threads() ? &scheduling_->ends_count : nullptr;
  setup->core.deterministic = !mode_->has_threads();
  setup->core.in_order = places_by_policy();
  setup->core.urgent_first = !scheduling_ || !scheduling_->keeps;
  setup->core.fetches = gate_ != nullptr;
  if (scheduling_) {
    setup->core.may_issue = [this, worker](const graph::Task& task) {
      return scheduling_->state->may_issue(worker, task);
    };
  }
  mode_->set_depth(*setup, place);
  setup->supervisor = caf::actor_cast<caf::actor>(supervisor);
  return setup;
}

platform::CpuSet RuntimeSystem::Implementation::pus_of(int pu) const {
  if (plan_.options.threads.bind && plan_.topology.bindable && pu >= 0) return {pu};
  // The worker may run on all allowed processing units (PUs). Workers do not inherit the PUs of the thread that starts
  // the runtime: if that thread is bound, all workers would be on one core.
  return plan_.topology.machine.this_system ? plan_.topology.allowed_pus : platform::CpuSet{};
}

DeviceSetup RuntimeSystem::Implementation::device_setup(WorkerId worker) {
  const WorkerPlace& place = plan_.places[worker.index()];
  DeviceSetup device;
  device.executor.graph = &graph_;
  device.executor.worker = worker;
  device.executor.name = place.name;
  device.executor.kind = place.device.type.kind;
  device.executor.trace = plan_.options.trace ? &crew_->ports[worker.index()].trace : nullptr;
  device.executor.clock = &mode_->clock();
  device.executor.team_use = &crew_->ports[worker.index()].team_use;
  if (mode_->memories() != nullptr && mode_->memories()->holds_data()) {
    device.executor.find_replica = [this, worker](const graph::DataRecord& data) {
      return gate_->replica(data, worker);
    };
  }
  if ((kind_set(place.device.type.kind) & kOnCores) != 0) {
    device.executor.board = &crew_->ports[worker.index()].board;
    device.executor.opened = [this, worker](const workers::SharedPieces& shared) {
      const WorkerId sleeper = crew_->take_idle_for(shared, worker);
      if (sleeper.valid()) peers_->wake(sleeper);
    };
    if (scheduling_ && scheduling_->keeps) {
      device.executor.all_taken = [this](const graph::Task& task) {
        crew_->tell({.kind = graph::TaskEvent::Kind::all_taken, .task = task.task_id()});
        if (mode_->has_threads()) decide();
      };
    }
  }
  device.node = place.node;
  device.in_place = place.in_place;
  device.pus = pus_of(place.pu);
  for (const int pu : place.helper_pus) device.helpers.push_back(pus_of(pu));
  device.spin = plan_.options.threads.spin;
  device.on_lost = [this, worker] { device_lost(worker); };
  return device;
}

void RuntimeSystem::Implementation::device_lost(WorkerId worker) {
  if (crew_->ports[worker.index()].lost.exchange(true, std::memory_order_seq_cst)) return;
  if (const NodeId node = plan_.places[worker.index()].node; node != memory::kHost) gate_->node_lost(node);
  crew_->tell({.kind = graph::TaskEvent::Kind::worker_lost, .worker = worker});
  // The worker sends the tasks in its queues to other workers. The message makes the worker do this soon, because a
  // worker handles messages even while its device computes.
  peers_->send(worker, WorkAvailable{});
}

std::unique_ptr<workers::Device> RuntimeSystem::Implementation::make_device(WorkerId worker,
                                                                            workers::DeviceListener& listener) {
  const WorkerPlace& place = plan_.places[worker.index()];
  auto made = mode_->make_device(device_setup(worker), place.device.type.kind, listener);
  if (made) return std::move(made).value();
  // The worker's tasks go to other workers, as if the device had been lost later.
  device_lost(worker);
  return std::make_unique<UnusableDevice>(place.name, made.failure());
}

caf::actor RuntimeSystem::Implementation::spawn_worker(caf::event_based_actor* supervisor, WorkerId worker) {
  auto setup = worker_setup(worker, supervisor);
  if (!mode_->has_threads()) return supervisor->spawn<workers::WorkerActor>(std::move(setup));
  return supervisor->spawn<workers::WorkerActor, caf::detached>(std::move(setup));
}

}  // namespace troupe::actors
