/// A worker's actor in CAF's deterministic scheduler, and the actors with which it exchanges messages.
#pragma once

#include <algorithm>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "actors/workers/devices/core_device.hpp"
#include "actors/workers/worker_actor.hpp"
#include "tests/actors/graph_fixture.hpp"
#include "tests/actors/stage_actor.hpp"

namespace troupe::workers {

inline constexpr WorkerId kFirst{0};
inline constexpr WorkerId kSecond{1};

inline StealPlan two_thieves() {
  StealPlan plan;
  plan.victims = {{{kSecond}}, {{kFirst}}};
  return plan;
}

/// A device that starts tasks at once, and ends them when the test calls `end`.
class SlowDevice final : public Device {
 public:
  SlowDevice(DeviceListener& listener, std::vector<SlowDevice*>& all) : listener_(listener) { all.push_back(this); }
  ~SlowDevice() override {
    while (!in_flight.empty())
      end(std::make_shared<Failure>(Failure{ErrorCode::kernel_failed, "the device went away"}));
  }

  [[nodiscard]] std::string name() const override { return "slow device"; }
  Started start(graph::Task& task, std::span<graph::Task* const> /*behind*/) noexcept override {
    in_flight.push_back(&task);
    most_in_flight = std::max(most_in_flight, in_flight.size());
    return {};
  }
  /// Ends the oldest task that runs.
  void end(graph::FailureLog::Cause cause = nullptr) {
    graph::Task* task = in_flight.front();
    in_flight.pop_front();
    listener_.done(*task, std::move(cause));
  }

  std::deque<graph::Task*> in_flight;
  std::size_t most_in_flight = 0;

 private:
  DeviceListener& listener_;
};

/// Worker 0 is a real worker actor. Worker 1, the supervisor and the scheduler only record their messages.
struct Dialogue {
  explicit Dialogue(std::size_t slots = 0) : slots_(slots) {
    supervisor = stage.listener<WorkerStarted>("supervisor");
    second = stage.listener<WorkAvailable, StealRequest, StealReply>("second");
    scheduler = stage.listener<TasksActivated>("scheduler");
    peers->set(kSecond, second);
    stage.play();
  }
  ~Dialogue() {
    for (const caf::actor& actor : {worker, second, supervisor, scheduler}) {
      if (actor) stage.tell(actor, Stop{});
    }
    stage.play();
    peers->clear();
  }

  /// Starts the actor of worker 0.
  void begin() {
    auto setup = std::make_shared<WorkerSetup>();
    setup->id = kFirst;
    setup->crew = crew;
    setup->peers = peers;
    setup->make_device = [this](DeviceListener& listener) -> std::unique_ptr<Device> {
      if (slots_ > 0) return std::make_unique<SlowDevice>(listener, devices);
      return std::make_unique<CoreDevice>(
          CoreDevice::Options{.graph = &tasks.graph, .worker = kFirst, .name = "cpu core 0"});
    };
    setup->clock = &clock;
    setup->cooperative = true;
    setup->core.self = kFirst;
    setup->core.slots = std::max<std::size_t>(slots_, 1);
    setup->core.seed = 1;
    setup->core.activation_queue = placing ? &activation : nullptr;
    setup->core.fetches = crew->data != nullptr;
    setup->supervisor = supervisor;
    setup->decide = [this] { peers->tell_scheduler(); };
    peers->set_scheduler(scheduler);
    worker = stage.system.spawn<WorkerActor>(std::move(setup));
    peers->set(kFirst, worker);
    stage.tell(worker, StartWorker{});
  }
  /// Puts tasks into the receiver's deque. Each task writes its name to `ran`.
  void give(WorkerId receiver, const std::vector<std::string>& names) {
    for (const std::string& name : names) {
      const Codelet codelet = Codelet(name, {}).cpu([this, name](const KernelContext&) { ran.push_back(name); });
      tasks.submit(codelet, {}, {.name = name});
      graph::TaskList ready = tasks.take_ready();
      crew->ports[receiver.index()].deque.push(ready);
    }
  }
  /// Gives worker 0 two tasks that each add one to `value`. The second task waits for the first.
  void give_chain_of_two() {
    const Codelet touch = Codelet("touch", {AccessMode::read_write}).cpu([](int& x) { ++x; });
    const Handle handle = tasks.scalar(value);
    for (int i = 0; i < 2; ++i) tasks.submit(touch, {handle});
    graph::TaskList ready = tasks.take_ready();
    deque(kFirst).push(ready);
  }
  [[nodiscard]] std::uint64_t ended() const { return tasks.graph.progress().ended; }
  TaskDeque& deque(WorkerId id) { return crew->ports[id.index()].deque; }

  int value = 0;
  tests::Stage stage;
  tests::GraphFixture tasks{2};
  platform::ManualClock clock;
  std::shared_ptr<Crew> crew = std::make_shared<Crew>(tasks.graph, 2, two_thieves());
  std::shared_ptr<Peers> peers = std::make_shared<Peers>(2);
  TaskDeque activation;
  bool placing = false;
  caf::actor worker;
  caf::actor supervisor;
  caf::actor second;
  caf::actor scheduler;
  tests::Lines ran;
  std::vector<SlowDevice*> devices;

 private:
  std::size_t slots_;
};

}  // namespace troupe::workers
