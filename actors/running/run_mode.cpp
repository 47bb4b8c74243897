#include "actors/running/run_mode.hpp"

#include <caf/scheduler/test_coordinator.hpp>
#include <chrono>
#include <utility>

#include "actors/options/option_values.hpp"
#include "actors/running/accelerator_set.hpp"
#include "actors/running/device_factory.hpp"
#include "actors/running/kept_history.hpp"
#include "actors/scheduler/models/learned_model.hpp"
#include "actors/simulating/simulation.hpp"
#include "proto/mutex.hpp"
#include "proto/random.hpp"
#include "troupe/simulation_options.hpp"

namespace troupe::actors {

namespace {

using Pump = graph::GraphHost::Pump;

/// Sets how much further work a device gets while a kernel still runs. `turnaround` is the time that the host takes
/// from the end of a kernel to the start of the next kernel.
void issue_ahead(workers::WorkerCore::Options& core, std::size_t most, Duration turnaround) {
  // Further work that takes four times the turnaround hides the turnaround, even if kernels take half as long as
  // expected. With more work, the scheduler would only decide earlier than necessary.
  core.work_ahead = 4 * turnaround;
  core.most_ahead = turnaround > Duration{} ? most : 0;
}

class OnThreads final : public RunMode {
 public:
  OnThreads(RuntimePlan& plan, HostViews& views) : RunMode(true, plan.options.seed), plan_(plan) {
    if (plan.accelerators.empty()) return;
    AcceleratorSet::Setup set;
    set.accelerators = std::move(plan.accelerators);
    set.views = &views;
    set.clock = &clock_;
    set.record = plan.options.trace ? plan.options.observation.trace_limit : 0;
    accelerators_ = std::make_unique<AcceleratorSet>(std::move(set));
  }

  [[nodiscard]] const platform::Clock& clock() const override { return clock_; }
  void await_actors(caf::actor_system& system) override {
    // The actors have to end before the destructor of CAF's system runs. The actors can end, because no object keeps a
    // worker's address any more.
    system.await_all_actors_done();
  }

  void set_depth(workers::WorkerSetup& worker, const WorkerPlace& place) const override {
    const RuntimeOptions& options = plan_.options;
    const DeviceTraits& device = traits(place.device.type.kind);
    worker.core.slots = place.slots != 0 ? place.slots : device.queue.slots;
    worker.polled = device.polled;
    if (accelerators_)
      worker.core.lookahead = device.own_memory ? options.accelerators.ahead.gpu : options.accelerators.ahead.core;
    if (device.queue.issues) {
      issue_ahead(worker.core, options.accelerators.ahead.issue, std::chrono::microseconds(device.queue.round_trip_us));
    }
  }
  Result<std::unique_ptr<workers::Device>> make_device(DeviceSetup setup, DeviceKind kind,
                                                       workers::DeviceListener& listener) override {
    if (accelerators_ && setup.node != memory::kHost) setup.memory = &accelerators_->accelerator(setup.node);
    return device_factory(kind).make(std::move(setup), listener);
  }
  void on_lost(std::function<void(NodeId)> act) override {
    if (accelerators_) accelerators_->on_lost(std::move(act));
  }

  [[nodiscard]] MemoryNodes* memories() override { return accelerators_.get(); }
  [[nodiscard]] std::vector<TraceTransfer> take_copies() override {
    return accelerators_ ? accelerators_->take_copies() : std::vector<TraceTransfer>();
  }
  void stop_copies() override {
    if (accelerators_) accelerators_->stop();
  }

  [[nodiscard]] std::unique_ptr<scheduler::ExecutionModel> believed_times() override {
    const RuntimeOptions& options = plan_.options;
    kept_history_.emplace(model_folder_of(options.placement.models), plan_.topology.machine,
                          options.observation.on_warning);
    std::vector<DeviceType> types;
    for (const WorkerPlace& place : plan_.places) types.push_back(place.device.type);
    return std::make_unique<scheduler::LearnedModel>(kept_history_->history(), types);
  }
  void keep_times() noexcept override {
    if (kept_history_) kept_history_->save();
  }

 private:
  const RuntimePlan& plan_;
  platform::SteadyClock clock_;
  /// Null if there are no accelerators.
  std::unique_ptr<AcceleratorSet> accelerators_;
  /// Empty if kernel times are not learned.
  std::optional<KeptHistory> kept_history_;
};

/// Handles the messages of actors that have no threads.
class Messages {
 public:
  explicit Messages(std::uint64_t seed) : order_(seed) {}

  /// Lets one actor handle its next message: a random actor if `at_random` is true, else the actor whose turn it is.
  /// Returns false if there are no messages.
  bool handle_one(caf::actor_system& system, bool at_random) {
    auto& coordinator = static_cast<caf::scheduler::test_coordinator&>(system.scheduler());
    auto& jobs = coordinator.jobs;
    if (jobs.empty()) return false;
    if (at_random) std::swap(jobs.front(), jobs[order_.below(static_cast<std::uint32_t>(jobs.size()))]);
    coordinator.run_once();
    return true;
  }

 private:
  Random order_;
};

/// The mode without threads. It learns no kernel times, because runs must not depend on how long a task took.
class InOneThread final : public RunMode {
 public:
  explicit InOneThread(const RuntimePlan& plan) : RunMode(false, plan.options.seed), messages_(plan.options.seed) {}

  [[nodiscard]] const platform::Clock& clock() const override { return clock_; }
  Pump pump(caf::actor_system& system) override {
    const LockGuard lock(mutex_);
    return messages_.handle_one(system, true) ? Pump::progressed : Pump::exhausted;
  }
  Result<std::unique_ptr<workers::Device>> make_device(DeviceSetup setup, DeviceKind kind,
                                                       workers::DeviceListener& listener) override {
    // A kernel occupies the only thread while it runs, so no other worker could take pieces of the kernel's task.
    setup.executor.board = nullptr;
    setup.executor.all_taken = nullptr;
    return device_factory(kind).make(std::move(setup), listener);
  }

 private:
  platform::SteadyClock clock_;
  Mutex mutex_;
  Messages messages_ TROUPE_GUARDED_BY(mutex_);
};

class InVirtualTime final : public RunMode {
 public:
  InVirtualTime(const RuntimePlan& plan, HostViews& views, std::shared_ptr<scheduler::SubmittedTasks> submitted)
      : RunMode(false, plan.options.simulation->seed),
        simulation_(*plan.options.simulation, devices_of(plan), std::move(submitted), views),
        messages_(seed()) {
    if (plan.options.trace) simulation_.record_copies();
  }

  [[nodiscard]] const platform::Clock& clock() const override { return simulation_.clock(); }
  [[nodiscard]] std::optional<TimeStamp> virtual_time() const override { return clock().now(); }
  Pump pump(caf::actor_system& system) override {
    const LockGuard lock(mutex_);
    const bool handled = messages_.handle_one(system, simulation_.options().disturbances.shuffle_messages);
    return handled || (!stands_still_ && simulation_.time().advance()) ? Pump::progressed : Pump::exhausted;
  }
  void await_actors(caf::actor_system& system) override {
    // The messages and copies that are still under way are not needed, and their data may be gone.
    stands_still_ = true;
    RunMode::await_actors(system);
  }

  void set_depth(workers::WorkerSetup& worker, const WorkerPlace& place) const override {
    const SimulationOptions& options = simulation_.options();
    const DeviceTraits& device = traits(place.device.type.kind);
    worker.core.lookahead = device.own_memory ? options.accelerators.ahead.gpu : options.accelerators.ahead.core;
    if (!device.queue.issues) return;
    issue_ahead(worker.core, options.accelerators.ahead.issue,
                simulation_.launch_of(worker.id) + simulation_.notice_of(worker.id));
  }
  Result<std::unique_ptr<workers::Device>> make_device(DeviceSetup setup, DeviceKind /*kind*/,
                                                       workers::DeviceListener& listener) override {
    return simulation_.make_device(std::move(setup), listener);
  }
  void set_cores(WorkerId worker, int cores) override { simulation_.set_cores(worker, cores); }
  void on_lost(std::function<void(NodeId)> act) override { simulation_.on_lost(std::move(act)); }
  Result<const Codelet*> stand_in(const Codelet& codelet, bool nested) override {
    return simulation_.stand_ins().of(codelet, nested);
  }

  [[nodiscard]] MemoryNodes* memories() override { return &simulation_; }
  [[nodiscard]] std::vector<TraceTransfer> take_copies() override { return simulation_.take_copies(); }
  [[nodiscard]] std::unique_ptr<scheduler::ExecutionModel> believed_times() override {
    return simulation_.believed_times();
  }

 private:
  static std::vector<DescribedDevice> devices_of(const RuntimePlan& plan) {
    std::vector<DescribedDevice> devices;
    for (const WorkerPlace& place : plan.places) devices.push_back(place.device);
    return devices;
  }

  Simulation simulation_;
  /// True if the run is over.
  bool stands_still_ = false;
  Mutex mutex_;
  Messages messages_ TROUPE_GUARDED_BY(mutex_);
};

}  // namespace

void RunMode::await_actors(caf::actor_system& system) {
  while (pump(system) == Pump::progressed) {
  }
}

std::unique_ptr<RunMode> RunMode::make(RuntimePlan& plan, HostViews& views,
                                       std::shared_ptr<scheduler::SubmittedTasks> submitted) {
  if (plan.options.simulation) return std::make_unique<InVirtualTime>(plan, views, std::move(submitted));
  if (plan.options.threads.deterministic) return std::make_unique<InOneThread>(plan);
  return std::make_unique<OnThreads>(plan, views);
}

}  // namespace troupe::actors
