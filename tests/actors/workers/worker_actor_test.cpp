// Tests how workers react to messages, also with devices that end tasks later.
#include "actors/workers/worker_actor.hpp"

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "proto/mutex.hpp"
#include "tests/actors/workers/dialogue_actor.hpp"

namespace troupe::workers {

BOOST_AUTO_TEST_SUITE(worker_actor)

namespace {

using graph::Task;
using graph::TaskList;
using tests::GraphFixture;
using tests::Lines;
const auto kPerElement = boost::test_tools::per_element();

BOOST_AUTO_TEST_CASE(told_to_start_it_reports_and_goes_to_sleep) {
  Dialogue d;
  d.begin();
  d.stage.play();
  BOOST_TEST(d.stage.heard() == (Lines{"supervisor: worker 0 started"}), kPerElement);
  BOOST_TEST(d.crew->idle.contains(kFirst));
}

BOOST_AUTO_TEST_CASE(it_runs_what_lay_in_its_deque_before_it_was_started) {
  Dialogue d;
  d.give(kFirst, {"a", "b"});
  d.begin();
  d.stage.play();
  BOOST_TEST(d.ran == (Lines{"b", "a"}), kPerElement);
  BOOST_TEST(d.ended() == 2U);
}

BOOST_AUTO_TEST_CASE(work_available_wakes_it) {
  Dialogue d;
  d.begin();
  d.stage.play();
  d.give(kFirst, {"a"});
  BOOST_TEST(d.crew->idle.erase(kFirst));
  d.stage.tell(d.worker, WorkAvailable{});
  d.stage.play();
  BOOST_TEST(d.ran == (Lines{"a"}), kPerElement);
  BOOST_TEST(d.crew->idle.contains(kFirst));
}

BOOST_AUTO_TEST_CASE(a_thief_gets_half_and_is_told) {
  Dialogue d;
  d.begin();
  d.stage.play();
  d.stage.heard();
  // `give` sends no message, so the victim learns of its tasks only by the steal request.
  d.give(kFirst, {"a", "b", "c"});
  d.stage.tell(d.worker, StealRequest{kSecond});
  d.stage.play();
  // The victim gives two tasks away and runs the third one. Then it becomes a thief itself.
  BOOST_TEST(d.stage.heard() == (Lines{"second: 0 gave 2", "second: 0 asks for tasks"}), kPerElement);
  BOOST_TEST(d.deque(kSecond).size() == 2U);
  BOOST_TEST(d.ran == (Lines{"c"}), kPerElement);
}

BOOST_AUTO_TEST_CASE(a_thief_is_told_that_there_is_nothing) {
  Dialogue d;
  d.begin();
  d.stage.tell(d.worker, StealRequest{kSecond});
  d.stage.play();
  BOOST_TEST(d.stage.heard() == (Lines{"supervisor: worker 0 started", "second: 0 gave 0"}), kPerElement);
}

BOOST_AUTO_TEST_CASE(without_work_it_asks_a_victim_once_and_waits_for_the_answer) {
  Dialogue d;
  d.give(kSecond, {"a", "b"});
  d.begin();
  d.stage.play();
  BOOST_TEST(d.stage.heard() == (Lines{"supervisor: worker 0 started", "second: 0 asks for tasks"}), kPerElement);
  d.stage.tell(d.worker, WorkAvailable{});
  d.stage.play();
  BOOST_TEST(d.stage.heard().empty());
  BOOST_TEST(transfer_half(*d.crew, kSecond, kFirst) == 1U);
  d.stage.tell(d.worker, StealReply{kSecond, 1});
  d.stage.play();
  BOOST_TEST(d.ran == (Lines{"a"}), kPerElement);
  // The worker has run the task that it got, and sends a new steal request.
  BOOST_TEST(d.stage.heard() == (Lines{"second: 0 asks for tasks"}), kPerElement);
  BOOST_TEST(d.deque(kSecond).pop_newest() != nullptr);
  d.stage.tell(d.worker, StealReply{kSecond, 0});
  d.stage.play();
  BOOST_TEST(d.crew->idle.contains(kFirst));
  BOOST_TEST(d.crew->ports[0].counters.steals == 1U);
  BOOST_TEST(d.crew->ports[0].counters.failed_steals == 1U);
}

BOOST_AUTO_TEST_CASE(it_wakes_a_sleeper_for_what_it_cannot_run_now) {
  Dialogue d;
  d.crew->idle.insert(kSecond);
  d.give(kFirst, {"a", "b", "c"});
  d.begin();
  d.stage.play();
  BOOST_TEST(d.stage.heard() == (Lines{"supervisor: worker 0 started", "second: work available"}), kPerElement);
}

BOOST_AUTO_TEST_CASE(messages_are_handled_between_tasks) {
  Dialogue d;
  d.give(kFirst, {"a", "b", "c", "d"});
  d.begin();
  d.stage.step();
  BOOST_TEST(d.ran == (Lines{"d"}), kPerElement);
  d.stage.tell(d.worker, StealRequest{kSecond});
  d.stage.play();
  // Task "c" was about to start. Of the other two tasks, one was given away.
  BOOST_TEST(d.ran == (Lines{"d", "c", "b"}), kPerElement);
  BOOST_TEST(d.deque(kSecond).size() == 1U);
}

BOOST_AUTO_TEST_CASE(successors_are_reported_to_the_scheduler_under_a_placing_policy) {
  Dialogue d;
  d.placing = true;
  d.give_chain_of_two();
  d.begin();
  d.stage.play();
  BOOST_TEST(d.stage.heard() == (Lines{"supervisor: worker 0 started", "scheduler: tasks activated"}), kPerElement);
  BOOST_TEST(d.value == 1);
  BOOST_TEST(d.activation.size() == 1U);
  BOOST_TEST(d.activation.pop_newest() != nullptr);
}

BOOST_AUTO_TEST_CASE(told_to_stop_it_ends) {
  Dialogue d;
  d.begin();
  d.stage.play();
  caf::scoped_actor watcher(d.stage.system);
  watcher->monitor(d.worker);
  d.stage.tell(d.worker, Stop{});
  d.stage.play();
  bool normally = false;
  watcher->receive([&](const caf::down_msg& down) { normally = down.reason == caf::exit_reason::normal; });
  BOOST_TEST(normally);
}

BOOST_AUTO_TEST_CASE(an_asynchronous_device_is_kept_full) {
  Dialogue d(3);
  d.give(kFirst, {"a", "b", "c", "d", "e"});
  d.begin();
  d.stage.play();
  SlowDevice& device = *d.devices.at(0);
  BOOST_TEST(device.in_flight.size() == 3U);
  BOOST_TEST(d.ended() == 0U);
  device.end();
  BOOST_TEST(device.in_flight.size() == 2U);
  d.stage.play();
  BOOST_TEST(device.in_flight.size() == 3U);
  BOOST_TEST(d.ended() == 1U);
  // Three tasks end before the worker handles the first end. One of the three fails.
  device.end();
  device.end(std::make_shared<Failure>(Failure{ErrorCode::kernel_failed, "out of luck"}));
  device.end();
  d.stage.play();
  BOOST_TEST(d.ended() == 4U);
  BOOST_TEST(device.in_flight.size() == 1U);
  BOOST_TEST(device.most_in_flight == 3U);
  device.end();
  d.stage.play();
  BOOST_TEST(d.ended() == 5U);
  BOOST_TEST(d.tasks.graph.wait_all().failure().message == "out of luck");
}

BOOST_AUTO_TEST_CASE(an_asynchronous_device_with_room_hears_of_new_work) {
  Dialogue d(2);
  d.give(kFirst, {"a"});
  d.begin();
  d.stage.play();
  SlowDevice& device = *d.devices.at(0);
  BOOST_TEST(device.in_flight.size() == 1U);
  BOOST_TEST(d.crew->idle.contains(kFirst));
  d.give(kFirst, {"b"});
  BOOST_TEST(d.crew->idle.erase(kFirst));
  d.stage.tell(d.worker, WorkAvailable{});
  d.stage.play();
  BOOST_TEST(device.in_flight.size() == 2U);
  BOOST_TEST(!d.crew->idle.contains(kFirst));
  device.end();
  device.end();
  d.stage.play();
  BOOST_TEST(d.ended() == 2U);
  BOOST_TEST(d.crew->idle.contains(kFirst));
}

BOOST_AUTO_TEST_CASE(a_full_asynchronous_device_still_gives_tasks_away) {
  Dialogue d(1);
  d.give(kFirst, {"a", "b", "c"});
  d.begin();
  d.stage.play();
  d.stage.heard();
  d.stage.tell(d.worker, StealRequest{kSecond});
  d.stage.play();
  BOOST_TEST(d.stage.heard() == (Lines{"second: 0 gave 1"}), kPerElement);
  SlowDevice& device = *d.devices.at(0);
  device.end();
  d.stage.play();
  device.end();
  d.stage.play();
  BOOST_TEST(d.ended() == 2U);
}

/// A device that ends its tasks in a thread of its own, in random order.
class ThreadedDevice final : public Device {
 public:
  explicit ThreadedDevice(DeviceListener& listener) : listener_(listener), thread_([this] { work(); }) {}
  ~ThreadedDevice() override {
    {
      const LockGuard lock(mutex_);
      stopping_ = true;
    }
    condition_.notify_one();
    thread_.join();
  }

  [[nodiscard]] std::string name() const override { return "threaded device"; }
  Started start(Task& task, std::span<Task* const> /*behind*/) noexcept override {
    {
      const LockGuard lock(mutex_);
      started_.push_back(&task);
    }
    condition_.notify_one();
    return {};
  }

 private:
  void work() {
    UniqueLock lock(mutex_);
    while (true) {
      condition_.wait(lock, [this]() TROUPE_REQUIRES(mutex_) { return stopping_ || !started_.empty(); });
      if (started_.empty()) return;
      Task* task = started_.back();
      started_.pop_back();
      lock.unlock();
      listener_.done(*task, nullptr);
      lock.lock();
    }
  }

  DeviceListener& listener_;
  Mutex mutex_;
  std::condition_variable condition_;
  std::vector<Task*> started_ TROUPE_GUARDED_BY(mutex_);
  bool stopping_ TROUPE_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

/// Two workers with asynchronous devices and real threads steal from one another.
BOOST_AUTO_TEST_CASE(asynchronous_devices_run_everything_on_real_threads) {
  struct Configuration : caf::actor_system_config {
    Configuration() {
      add_message_types<caf::id_block::troupe>();
      set("scheduler.max-threads", 1);
    }
  } configuration;
  GraphFixture tasks{2};
  platform::SteadyClock clock;
  const auto crew = std::make_shared<Crew>(tasks.graph, 2, two_thieves());
  const auto peers = std::make_shared<Peers>(2, true);
  caf::actor_system system(configuration);
  {
    caf::scoped_actor supervisor(system);
    for (std::uint32_t i = 0; i < 2; ++i) {
      auto setup = std::make_shared<WorkerSetup>();
      setup->id = WorkerId(i);
      setup->crew = crew;
      setup->peers = peers;
      setup->make_device = [](DeviceListener& listener) { return std::make_unique<ThreadedDevice>(listener); };
      setup->clock = &clock;
      setup->spin = std::chrono::microseconds(20);
      setup->core = {.self = WorkerId(i), .slots = 4, .seed = i + 1};
      setup->supervisor = caf::actor_cast<caf::actor>(supervisor);
      peers->set(WorkerId(i), system.spawn<WorkerActor, caf::detached>(std::move(setup)));
      peers->send(WorkerId(i), StartWorker{});
    }
    for (int i = 0; i < 2; ++i) supervisor->receive([](const WorkerStarted&) {});
    constexpr std::uint64_t kTasks = 20'000;
    for (std::uint64_t i = 0; i < kTasks; ++i) {
      // Bursts of tasks go to one of the two workers, so the other worker has something to steal. After every
      // thousandth task there is a pause in which workers can fall asleep.
      const WorkerId to(static_cast<std::uint32_t>(i / 500 % 2));
      crew->ports[to.index()].deque.push(tasks.task());
      const WorkerId sleeper = crew->take_idle(to);
      if (sleeper.valid()) peers->wake(sleeper);
      if (i % 1000 == 999) std::this_thread::sleep_for(std::chrono::microseconds(300));
    }
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (tasks.graph.progress().ended < kTasks && std::chrono::steady_clock::now() < deadline) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    BOOST_TEST(tasks.graph.progress().ended == kTasks);
    BOOST_TEST(crew->ports[0].counters.tasks + crew->ports[1].counters.tasks == kTasks);
    for (std::uint32_t i = 0; i < 2; ++i) peers->send(WorkerId(i), Stop{});
  }
  system.await_all_actors_done();
  peers->clear();
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::workers
