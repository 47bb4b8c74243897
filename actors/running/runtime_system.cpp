#include "actors/running/runtime_system.hpp"

#include <algorithm>

#include "actors/memory/eviction/eviction_policies.hpp"
#include "actors/observation/stall_explanation.hpp"
#include "actors/running/runtime_implementation.hpp"
#include "actors/workers/crew_inspection.hpp"
#include "graph/codelets/codelet_definition.hpp"
#include "graph/codelets/device_set.hpp"
#include "graph/codelets/execution_scope.hpp"
#include "platform/machine/binding.hpp"
#include "platform/machine/process_limits.hpp"
#include "platform/memory/stack.hpp"

namespace troupe::actors {

using graph::GraphHost;
using graph::Task;
using graph::TaskList;

namespace {

/// The number of CAF's own threads: one each for actors without a thread, for CAF's clock, and for the output of
/// actors.
constexpr std::size_t kCafThreads = 3;

/// Checks that the system has enough threads and memory, because CAF cannot cope with a system that refuses them.
Result<void> check_limits(const RuntimePlan& plan) {
  if (const auto checked = platform::check_stacks(); !checked) return checked;
  const bool alone = plan.cooperative();
  // An accelerator has two threads of its own, for copies and for kernels. A cluster has a thread for each core but the
  // first, which the worker's thread uses.
  std::size_t threads = kCafThreads + 2 * plan.accelerators.size();
  for (const WorkerPlace& place : plan.places) threads += 1 + place.helper_pus.size();
  if (const auto checked = platform::check_room_for_threads(alone ? 0 : threads); !checked) return checked;
  return alone ? Result<void>{} : platform::try_threads(kCafThreads);
}

void tell_warnings(const RuntimePlan& plan) {
  if (!plan.options.observation.on_warning) return;
  for (const std::string& warning : plan.topology.warnings) {
    try {
      plan.options.observation.on_warning(warning);
    } catch (...) {
      // `on_warning` is the program's function: its exceptions must not keep a runtime from starting.
    }
  }
}

void kill(const caf::actor& actor) {
  if (actor) caf::anon_send_exit(actor, caf::exit_reason::kill);
}

}  // namespace

RuntimeSystem::Implementation::~Implementation() { stop(); }

void RuntimeSystem::Implementation::lost(WorkerId worker, const std::string& reason) {
  // The worker's actor may have died while it slept. Until the actor is replaced, which may take long, no thread may
  // choose this worker as the one to wake.
  crew_->idle.erase(worker);
  workers::WorkerPort& port = crew_->ports[worker.index()];
  Task* task = port.running.exchange(nullptr, std::memory_order_acquire);
  if (task == nullptr) return;
  const auto cause = std::make_shared<Failure>(
      Failure{ErrorCode::kernel_failed, graph::describe(*task) + " was lost with worker " +
                                            std::to_string(worker.value()) + ", whose actor died: " + reason});
  // Without this event the scheduler would wait for the task's end.
  crew_->tell({.kind = graph::TaskEvent::Kind::failed, .worker = worker, .task = task->task_id()});
  TaskList ready;
  workers::Share* const share = crew_->shares ? &crew_->shares->of(*task) : nullptr;
  // The worker's thread has ended, so this thread may complete the task in the worker's name.
  crew_->graph_of(*task).complete(*task, cause, worker, ready);
  if (!ready.empty()) activate(ready, WorkerId{});
  if (scheduling_ && scheduling_->ends_count.load(std::memory_order_seq_cst)) peers_->tell_scheduler();
  if (share == nullptr) return;
  crew_->shares->left(*share);
  if (crew_->shares->pass_on()) peers_->tell_scheduler();
}

void RuntimeSystem::Implementation::activate(TaskList& ready, WorkerId worker) noexcept {
  if (crew_->sets_apart(activation())) [[unlikely]] {
    activate_apart(ready);
    if (ready.empty()) return;
  }
  const bool shared_queue = crew_->plan.shared_queue;
  if (numa_nodes_.size() > 1 && !worker.valid() && !shared_queue) {
    hand_to_numa_nodes(ready);
    if (ready.empty()) return;
  }
  if (worker.valid() && !shared_queue) {
    crew_->ports[worker.index()].deque.push(ready);
  } else {
    crew_->entry.push(ready);
  }
  if (!crew_->idle.empty()) [[unlikely]]
    wake_one(worker.valid() ? worker : elsewhere());
}

void RuntimeSystem::Implementation::activate_apart(TaskList& ready) noexcept {
  if (crew_->shares) crew_->shares->activated(ready);
  const bool one = ready.size() == 1;
  (void)crew_->set_apart(ready, activation());
  if (scheduling_) {
    using Left = scheduler::SchedulerState::Left;
    leave_to_scheduler(one && scheduling_->program_decides ? scheduling_->state->try_to_decide_alone()
                                                           : Left::activated);
    return;
  }
  if (crew_->mixed()) {
    const WorkerId sleeper = crew_->take_idle_for_restricted();
    if (sleeper.valid()) peers_->wake(sleeper);
  }
  if (ready.empty() && crew_->shares && crew_->shares->turns_wait() && !crew_->idle.empty()) wake_one(elsewhere());
}

Result<DevicesHere> RuntimeSystem::Implementation::find_devices(const DeviceSet& devices) {
  if (devices.choices().empty()) return DevicesHere{devices.kinds(), nullptr};
  const auto members = find_members(devices, RuntimePlan::names_of(plan_.places));
  if (!members) return members.failure();
  // A set needs no object of its own if it is empty, or if it contains all workers of some kinds and no other workers.
  KindSet some = 0;
  KindSet some_not = 0;
  for (std::size_t i = 0; i < plan_.places.size(); ++i) {
    KindSet& kinds = members.value()[i] ? some : some_not;
    kinds |= kind_set(plan_.places[i].device.type.kind);
  }
  if ((some & some_not) == 0) return DevicesHere{some, nullptr};
  if (plan_.options.threads.regroup && (some & some_not & kOnCores) != 0) {
    return Failure{ErrorCode::invalid_argument,
                   "tasks cannot be restricted to some of the cores where these can be grouped otherwise, as they may "
                   "lend their threads to others: restrict them to all cores, or use clusters that stay as they are"};
  }
  auto workers = crew_->restricted.set_of(members.value());
  if (!workers) return workers.failure();
  return DevicesHere{some, std::move(workers).value()};
}

void RuntimeSystem::Implementation::wake_one(WorkerId near) {
  const WorkerId sleeper = crew_->take_idle(near);
  if (sleeper.valid()) peers_->wake(sleeper);
}

void RuntimeSystem::Implementation::wake_early(bool waits_for_nothing) noexcept {
  // If not every worker can run every task, each task might wake a sleeping worker that can run none of the tasks.
  if (crew_->mixed()) return;
  const std::size_t workers = crew_->ports.size();
  for (std::size_t i = 0; i < workers && !waits_for_nothing; ++i) {
    if (!crew_->idle.contains(WorkerId(static_cast<std::uint32_t>(i)))) return;
  }
  const graph::ExecutionScope::Place* const scope = graph::ExecutionScope::find(&graph_);
  const WorkerId near = scope != nullptr && scope->worker().valid() ? scope->worker() : elsewhere();
  const std::size_t start = near.valid() ? near.index() : 0;
  for (std::size_t i = 0; i < workers; ++i) {
    const WorkerId worker(static_cast<std::uint32_t>((start + i) % workers));
    if (!crew_->idle.contains(worker)) continue;
    peers_->doorbell(worker).ring();
    return;
  }
}

void RuntimeSystem::Implementation::decide() {
  leave_to_scheduler(mode_->has_threads() ? scheduling_->state->try_to_decide()
                                          : scheduler::SchedulerState::Left::activated);
}

void RuntimeSystem::Implementation::leave_to_scheduler(scheduler::SchedulerState::Left left) {
  using Left = scheduler::SchedulerState::Left;
  switch (left) {
    case Left::nothing: break;
    case Left::activated: peers_->tell_scheduler(); break;
    case Left::decide: peers_->tell_scheduler<Decide>(); break;
  }
}

void RuntimeSystem::Implementation::hand_to_numa_nodes(TaskList& ready) {
  TaskList others;
  while (!ready.empty()) {
    Task* task = ready.pop_front();
    if (!task->numa_node.valid() || task->numa_node.index() >= numa_nodes_.size()) {
      others.push_back(task);
      continue;
    }
    push_to_node(task, task->numa_node.index());
  }
  ready.append(others);
}

void RuntimeSystem::Implementation::push_to_node(Task* task, std::size_t node) {
  const std::vector<int>& workers = numa_nodes_[node].workers;
  const std::size_t turn = numa_nodes_[node].turn.fetch_add(1, std::memory_order_relaxed);
  const auto worker = [&](std::size_t i) {
    return WorkerId(static_cast<std::uint32_t>(workers[(turn + i) % workers.size()]));
  };
  for (std::size_t i = 0; i < workers.size(); ++i) {
    if (!crew_->idle.erase(worker(i))) continue;
    crew_->ports[worker(i).index()].deque.push(task);
    peers_->wake(worker(i));
    return;
  }
  crew_->ports[worker(0).index()].deque.push(task);
  if (!crew_->ports[worker(0).index()].standing.open_seq_cst()) peers_->wake(worker(0));
  // All workers of the node are busy, perhaps for long. So another worker is woken, which may steal the task.
  wake_one(worker(0));
}

int RuntimeSystem::Implementation::numa_os_index(NumaId node) const {
  if (!node.valid() || node.index() >= numa_nodes_.size() || !plan_.topology.machine.this_system) return -1;
  const auto worker = static_cast<std::size_t>(numa_nodes_[node.index()].workers.front());
  return plan_.topology.machine.numa_nodes[static_cast<std::size_t>(plan_.topology.cores[worker].numa_node)].os_index;
}

WorkerId RuntimeSystem::Implementation::elsewhere() const {
  // A run in one thread must not depend on the core on which the thread happens to run.
  if (!mode_->has_threads()) return WorkerId{};
  const auto found = std::find_if(
      plan_.topology.cores.begin(), plan_.topology.cores.end(), [pu = platform::this_pu()](const platform::Core& core) {
        return core.pu == pu || std::ranges::find(core.helper_pus, pu) != core.helper_pus.end();
      });
  if (found == plan_.topology.cores.end()) return WorkerId{};
  const auto next = static_cast<std::size_t>(found - plan_.topology.cores.begin() + 1);
  return WorkerId(static_cast<std::uint32_t>(next % plan_.topology.cores.size()));
}

Task* RuntimeSystem::Implementation::next_activated() {
  while (Task* task = scheduling_->activation.pop_oldest()) {
    if (task->role <= graph::TaskRole::recorded) return task;
    // The task takes no time on any device, so there is nothing to decide: any worker may take the task.
    crew_->entry.push(task);
    wake_one(elsewhere());
  }
  return nullptr;
}

void RuntimeSystem::Implementation::policy_failed(const std::string& what) {
  const bool own = plan_.options.placement.make_policy != nullptr;
  const std::string who =
      own ? "the program's own policy (RuntimeOptions::placement.make_policy) " : "policy '" + plan_.policy.name + "' ";
  graph_.failures().add({ErrorCode::policy_failed, who + what});
}

void RuntimeSystem::Implementation::push(Task* task, WorkerId worker, bool first) {
  // Tasks start in the policy's order. Their priorities do not count here.
  const workers::TaskDeque::Entry entry{task, first ? 1 : 0};
  crew_->ports[worker.index()].deque.push({&entry, 1});
  // A worker that is awake checks its deque before it sleeps; a worker that passes tasks on is not in the idle set.
  if (crew_->idle.erase(worker) || !crew_->ports[worker.index()].standing.open_seq_cst()) peers_->wake(worker);
}

void RuntimeSystem::Implementation::take_back(TaskId task, WorkerId worker) {
  // The worker reads this value when the message comes. Relaxed, because the message orders the store.
  crew_->ports[worker.index()].wanted_back.store(task, std::memory_order_relaxed);
  peers_->send(worker, WorkAvailable{});
}

Result<void> RuntimeSystem::Implementation::bring_home(const graph::DataRecord& data, AccessMode mode) {
  if (!gate_) return {};
  // Inside a kernel of a run in one thread, a call of `pump` is in progress, so `pump` must not be called again.
  const bool inside = graph::ExecutionScope::innermost() != nullptr;
  return gate_->bring_home(data, mode, [this, inside] { return !inside && pump() == Pump::progressed; });
}

Result<void> RuntimeSystem::Implementation::bring_all_home(const graph::TaskOwner& graph) {
  if (!gate_) return {};
  return gate_->bring_all_home(graph, [this] { return pump() == Pump::progressed; });
}

std::vector<graph::RunningTask> RuntimeSystem::Implementation::running_elsewhere(const graph::TaskGraph& graph) {
  return mode_->has_threads() ? workers::running_and_suspended_tasks(*crew_, graph) : std::vector<graph::RunningTask>();
}

bool RuntimeSystem::Implementation::has_enough(WorkerId worker) const {
  // A thief takes the oldest task, which is the largest task in a recursion. So a few tasks in the deque suffice until
  // the kernel submits the next task.
  constexpr std::size_t kEnough = 3;
  return !places_by_policy() && crew_->ports[worker.index()].deque.size() >= kEnough && crew_->idle.empty() &&
         platform::stack_is_half_free();
}

bool RuntimeSystem::Implementation::has_stack() const { return platform::stack_is_half_free(); }

bool RuntimeSystem::Implementation::is_core(WorkerId worker) const {
  return (kind_set(crew_->kinds[worker.index()]) & kOnCores) != 0;
}

Result<void> RuntimeSystem::Implementation::may_wait_inside(WorkerId worker) const {
  if (mode_->virtual_time()) {
    return Failure{ErrorCode::wait_in_kernel,
                   "a kernel cannot wait in virtual time, where it is called at the one moment of its end: submit a "
                   "task that depends on what you wait for"};
  }
  if (!is_core(worker)) {
    return Failure{ErrorCode::wait_in_kernel,
                   "a kernel on an accelerator cannot wait, as its thread has to go on: restrict the task to cores, or "
                   "submit a task that depends on what you wait for"};
  }
  if (crew_->grouping != nullptr) {
    return Failure{
        ErrorCode::wait_in_kernel,
        "kernels cannot wait where cores may be grouped otherwise (ThreadOptions::regroup), as these wait for "
        "the kernels: submit a task that depends on what you wait for"};
  }
  return {};
}

Result<void> RuntimeSystem::Implementation::wait_inside(WorkerId worker, graph::KernelWait& wait) {
  return crew_->ports[worker.index()].waits->wait(wait);
}

void RuntimeSystem::Implementation::discard(const graph::DataRecord& data) noexcept {
  if (!gate_) return;
  try {
    gate_->discard(data);
  } catch (const std::bad_alloc&) {
    // Without memory for the event, the copies on devices stay until they are evicted or outdated.
  }
}

void RuntimeSystem::Implementation::forget(const graph::DataRecord& data) noexcept {
  if (submitted_) submitted_->set_reuse(data.handle_id(), 0);
  if (gate_) gate_->forget(data);
  for (const auto& device : plan_.host_devices) device->forget(workers::host_block_of(data.view));
}

Trace RuntimeSystem::Implementation::take_trace() {
  if (!recorder_) return {};
  Trace trace = recorder_->take(*crew_, mode_->clock());
  trace.transfers = mode_->take_copies();
  return trace;
}

void RuntimeSystem::Implementation::stop() {
  // Two waits are needed, because tasks may submit tasks until the last task has ended. Failures have been reported to
  // the threads that waited; a destructor cannot report any.
  [[maybe_unused]] Result<void> outcome = graph_.wait_until_ended();
  outcome = graph_.stop_submissions();
  outcome = graph_.wait_until_ended();
  watchdog_.reset();
  if (supervisor_) caf::anon_send(supervisor_, Stop{});
  supervisor_ = nullptr;
  mode_->await_actors(system_);
  peers_->clear();
  // No actor needs the copies that are still under way, and their data may be freed soon.
  if (gate_) gate_->close();
  mode_->stop_copies();
  if (gate_) gate_->save_reuse_profile();
  if (!scheduling_ || !scheduling_->state) return;
  // This call passes the last events to the scheduler, which may not have learned the times of the last tasks yet.
  (void)scheduling_->state->predictions();
  mode_->keep_times();
}

RunReport RuntimeSystem::Implementation::report() const {
  const Progress progress = graph_.progress();
  RunReport report;
  report.submitted = progress.submitted;
  report.ended = progress.ended;
  if (crew_->grouping) report.regroupings = crew_->grouping->completed();
  report.virtual_time = mode_->virtual_time();
  if (gate_) report.transfers = gate_->transfers();
  if (scheduling_) report.predictions = scheduling_->state->predictions();
  for (std::size_t i = 0; i < crew_->ports.size(); ++i) {
    const workers::WorkerCounters& counters = crew_->ports[i].counters;
    WorkerReport worker;
    worker.worker = WorkerId(static_cast<std::uint32_t>(i));
    worker.device = plan_.places[i].name;
    worker.kind = plan_.places[i].device.type.kind;
    worker.cores = plan_.places[i].device.type.cores;
    if (crew_->grouping) {
      const workers::Grouping::Place place = crew_->grouping->place(worker.worker);
      worker.cores = place.rank == 0 ? place.cores : 0;
    }
    worker.bound_to = starts_.is_bound(i) ? plan_.places[i].pu : -1;
    worker.members = members_of(i);
    worker.team = crew_->ports[i].team_use.sum();
    worker.counts.tasks = counters.tasks.load(std::memory_order_relaxed);
    worker.counts.steals = counters.steals.load(std::memory_order_relaxed);
    worker.counts.pieces = counters.pieces.load(std::memory_order_relaxed);
    worker.counts.stolen_pieces = counters.stolen_pieces.load(std::memory_order_relaxed);
    worker.counts.issued_ahead = counters.issued_ahead.load(std::memory_order_relaxed);
    worker.counts.stolen_tasks = counters.stolen_tasks.load(std::memory_order_relaxed);
    worker.counts.failed_steals = counters.failed_steals.load(std::memory_order_relaxed);
    worker.counts.parks = counters.parks.load(std::memory_order_relaxed);
    worker.time.busy = counters.busy(mode_->clock().now());
    worker.time.searching = Duration(counters.searching_ns.load(std::memory_order_relaxed));
    worker.time.waiting_for_data = Duration(counters.data_wait_ns.load(std::memory_order_relaxed));
    report.workers.push_back(std::move(worker));
  }
  return report;
}

MetricsSnapshot RuntimeSystem::Implementation::metrics() const {
  MetricsSnapshot snapshot;
  for (const observation::MailboxRecord& mailbox : mailboxes_) snapshot.mailboxes.push_back(mailbox.snapshot());
  return snapshot;
}

WhyReport RuntimeSystem::Implementation::why(graph::TaskGraph& of) {
  WhyReport report;
  of.inspect([this] { return workers::running_and_outside_tasks(*crew_); },
             [&](const graph::GraphSnapshot& graph) {
               observation::CrewSnapshot crew = workers::look_at(*crew_);
               for (std::size_t i = 0; i < crew.workers.size(); ++i) {
                 crew.workers[i].device = plan_.places[i].name;
                 crew.workers[i].members = members_of(i);
               }
               crew.policy = plan_.policy.name;
               if (scheduling_) crew.undecided = scheduling_->activation.size() + scheduling_->state->undecided_count();
               crew.scheduler_died = scheduling_ && !mailbox_of_scheduler().open();
               crew.now = mode_->clock().now();
               if (gate_) crew.fetching = gate_->fetching();
               report = observation::explain(graph, crew);
             });
  return report;
}

Result<std::unique_ptr<RuntimeSystem>> RuntimeSystem::start(const RuntimeOptions& options,
                                                            std::unique_ptr<scheduler::PlacingPolicy> placing) {
  if (const auto eviction = memory::make_eviction_policy(options.accelerators.eviction); !eviction)
    return eviction.failure();
  try {
    auto plan = RuntimePlan::make(options, std::move(placing));
    if (!plan) return plan.failure();
    if (const auto checked = check_limits(plan.value()); !checked) return checked.failure();
    tell_warnings(plan.value());
    auto implementation = std::make_unique<Implementation>(std::move(plan).value());
    implementation->start();
    // A thread that makes an actor system, or actors, keeps the system's logger alive. The system's destructor waits
    // until the logger has ended: for ever, if the destructor runs in another thread.
    caf::logger::set_current_actor_system(nullptr);
    return std::unique_ptr<RuntimeSystem>(new RuntimeSystem(std::move(implementation)));
  } catch (const std::system_error& error) {
    if (error.code() != std::errc::resource_unavailable_try_again) throw;
    return platform::refused_thread(error);
  } catch (const std::bad_alloc&) {
    return Failure{ErrorCode::out_of_memory,
                   "not enough memory to start a runtime: use fewer cores, or a machine with more memory"};
  }
}

RuntimeSystem::RuntimeSystem(std::unique_ptr<Implementation> implementation)
    : implementation_(std::move(implementation)) {}
RuntimeSystem::~RuntimeSystem() = default;

graph::TaskGraph& RuntimeSystem::graph() { return implementation_->graph_; }
const workers::IdleSet* RuntimeSystem::sleepers() const {
  const Implementation& system = *implementation_;
  return !system.mode_->has_threads() || system.places_by_policy() ? nullptr : &system.crew_->idle;
}
void RuntimeSystem::wake_early(bool waits_for_nothing) noexcept { implementation_->wake_early(waits_for_nothing); }
const platform::Topology& RuntimeSystem::topology() const { return implementation_->plan_.topology; }
std::size_t RuntimeSystem::workers() const { return implementation_->crew_->ports.size(); }
KindSet RuntimeSystem::kinds() const {
  KindSet kinds = 0;
  for (const DeviceKind kind : implementation_->crew_->kinds) kinds |= kind_set(kind);
  return kinds;
}
std::size_t RuntimeSystem::numa_nodes() const { return implementation_->numa_nodes_.size(); }
int RuntimeSystem::numa_os_index(NumaId node) const { return implementation_->numa_os_index(node); }
const std::string& RuntimeSystem::policy() const { return implementation_->plan_.policy.name; }
RunReport RuntimeSystem::report() const { return implementation_->report(); }
Trace RuntimeSystem::take_trace() { return implementation_->take_trace(); }
MetricsSnapshot RuntimeSystem::metrics() const { return implementation_->metrics(); }
WhyReport RuntimeSystem::why() const { return implementation_->why(implementation_->graph_); }
LiveView RuntimeSystem::look() const { return implementation_->look(); }
Result<void> RuntimeSystem::regroup(const std::string& clusters) { return implementation_->regroup(clusters); }
std::unique_ptr<ClientGraph> RuntimeSystem::open_graph(const ClientGraphOptions& options) {
  return implementation_->open_graph(options);
}

void RuntimeSystem::kill_scheduler() { kill(implementation_->peers_->scheduler()); }
void RuntimeSystem::kill_memory() { kill(implementation_->peers_->memory()); }
void RuntimeSystem::kill_worker(WorkerId worker) { kill(implementation_->peers_->get(worker)); }

Result<void> RuntimeSystem::set_reuse(const Handle& handle, std::int64_t index, graph::TaskGraph* of) {
  const auto parts = (of != nullptr ? *of : graph()).data_of(handle);
  if (!parts) return parts.failure();
  if (implementation_->submitted_) {
    for (const HandleId part : parts.value()) implementation_->submitted_->set_reuse(part, index);
  }
  implementation_->hint(parts.value(), {.kind = memory::MemoryEvent::Kind::set_reuse, .reuse = index});
  return {};
}

Result<std::vector<HandleId>> RuntimeSystem::lock(const Handle& handle, graph::TaskGraph* of) {
  auto parts = (of != nullptr ? *of : graph()).data_of(handle);
  if (parts) implementation_->hint(parts.value(), {.kind = memory::MemoryEvent::Kind::lock});
  return parts;
}

void RuntimeSystem::unlock(std::span<const HandleId> handles) {
  implementation_->hint(handles, {.kind = memory::MemoryEvent::Kind::unlock});
}

}  // namespace troupe::actors
