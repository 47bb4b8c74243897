// Tests of workers whose actors are killed, and of the work that the next actor takes over. See worker_loss_test.cpp
// for real threads.
#include <boost/test/unit_test.hpp>
#include <optional>
#include <string>
#include <vector>

#include "proto/mutex.hpp"
#include "tests/actors/workers/dialogue_actor.hpp"

namespace troupe::workers {

BOOST_AUTO_TEST_SUITE(killed_worker_actor)

namespace {

using graph::Task;
using graph::TaskList;
using tests::Lines;
const auto kPerElement = boost::test_tools::per_element();

/// A data provider that delivers the requested data when the test says so, or as soon as no worker needs them any more.
class LateData final : public DataProvider {
 public:
  explicit LateData(Crew& crew) : crew_(crew) { crew.data = this; }

  bool acquire(WorkerId /*worker*/, Task& task) override {
    asked_for.push_back(&task);
    return false;
  }
  void withdraw(WorkerId worker, Task& task) override { answer(worker, task); }

  void answer(WorkerId worker, Task& task) {
    const LockGuard lock(crew_.ports[worker.index()].arrived_lock);
    crew_.ports[worker.index()].arrived.push_back(&task);
  }

  std::vector<Task*> asked_for;

 private:
  Crew& crew_;
};

BOOST_AUTO_TEST_CASE(an_answer_to_an_actor_that_died_starts_no_task_of_the_next) {
  Dialogue d;
  LateData data(*d.crew);
  d.give(kFirst, {"a"});
  d.begin();
  d.stage.play();
  BOOST_TEST(data.asked_for.size() == 1U);
  // The data arrive after the killed actor's last check for arrived data, and before it withdraws its requests.
  caf::anon_send_exit(d.worker, caf::exit_reason::kill);
  d.stage.play();
  d.begin();
  d.stage.play();
  BOOST_TEST_REQUIRE(data.asked_for.size() == 2U);
  d.stage.tell(d.worker, DataArrived{});
  d.stage.play();
  BOOST_TEST(d.ran.empty());
  data.answer(kFirst, *data.asked_for[1]);
  d.stage.tell(d.worker, DataArrived{});
  d.stage.play();
  BOOST_TEST(d.ran == (Lines{"a"}), kPerElement);
}

BOOST_AUTO_TEST_CASE(a_killed_worker_leaves_its_tasks_to_the_next) {
  Dialogue d;
  d.give(kFirst, {"a", "b", "c"});
  d.begin();
  caf::anon_send_exit(d.worker, caf::exit_reason::kill);
  d.stage.play();
  // Task "c" ran in answer to the first message, and "b" was about to start.
  BOOST_TEST(d.ran == (Lines{"c"}), kPerElement);
  BOOST_TEST(d.deque(kFirst).size() == 2U);
  BOOST_TEST(d.ended() == 1U);
  d.begin();
  d.stage.play();
  BOOST_TEST(d.ran == (Lines{"c", "b", "a"}), kPerElement);
  BOOST_TEST(d.ended() == 3U);
}

BOOST_AUTO_TEST_CASE(a_worker_that_is_killed_before_it_wakes_another_for_its_surplus_leaves_that_to_the_next) {
  Dialogue d;
  d.crew->idle.insert(kSecond);
  int value = 0;
  const Handle handle = d.tasks.scalar(value);
  const Codelet write = Codelet("write", {AccessMode::write}).cpu([](int&) {});
  const Codelet look = Codelet("look", {AccessMode::read}).cpu([](const int&) {});
  d.tasks.submit(write, {handle});
  d.tasks.submit(look, {handle});
  d.tasks.submit(look, {handle});
  TaskList ready = d.tasks.take_ready();
  d.deque(kFirst).push(ready);
  d.begin();
  caf::anon_send_exit(d.worker, caf::exit_reason::kill);
  d.stage.step();
  // The writer has run and made two readers ready. One reader is to run next and is therefore not in the deque.
  BOOST_TEST(d.crew->idle.contains(kSecond));
  BOOST_TEST(d.deque(kFirst).size() == 1U);
  d.stage.play();
  BOOST_TEST(d.stage.heard() == (Lines{"supervisor: worker 0 started"}), kPerElement);
  BOOST_TEST(d.deque(kFirst).size() == 2U);
  d.begin();
  d.stage.play();
  BOOST_TEST(d.stage.heard() == (Lines{"supervisor: worker 0 started", "second: work available"}), kPerElement);
  BOOST_TEST(d.ended() == 3U);
}

BOOST_AUTO_TEST_CASE(what_a_killed_worker_activated_is_reported_to_the_scheduler) {
  Dialogue d;
  d.placing = true;
  d.give_chain_of_two();
  d.begin();
  caf::anon_send_exit(d.worker, caf::exit_reason::kill);
  d.stage.play();
  BOOST_TEST(d.stage.heard() == (Lines{"supervisor: worker 0 started", "scheduler: tasks activated"}), kPerElement);
}

BOOST_AUTO_TEST_CASE(a_worker_that_replaces_a_sleeper_is_awake) {
  Dialogue d;
  d.begin();
  d.stage.play();
  BOOST_TEST(d.crew->idle.contains(kFirst));
  caf::anon_send_exit(d.worker, caf::exit_reason::kill);
  d.stage.play();
  // The dead worker is still in the set of idle workers, so a wake-up goes to its replacement.
  BOOST_TEST(d.crew->idle.contains(kFirst));
  d.give(kFirst, {"a", "b"});
  d.begin();
  d.stage.step();
  BOOST_TEST(d.ran == (Lines{"b"}), kPerElement);
  BOOST_TEST(!d.crew->idle.contains(kFirst));
  d.stage.play();
  BOOST_TEST(d.crew->idle.contains(kFirst));
}

BOOST_AUTO_TEST_CASE(tasks_in_flight_on_the_device_of_a_killed_worker_fail) {
  Dialogue d(2);
  d.give(kFirst, {"a", "b", "c"});
  d.begin();
  d.stage.play();
  caf::anon_send_exit(d.worker, caf::exit_reason::kill);
  d.stage.play();
  BOOST_TEST(d.ended() == 2U);
  BOOST_TEST(d.deque(kFirst).size() == 1U);
  d.devices.clear();
  d.begin();
  d.stage.play();
  d.devices.at(0)->end();
  d.stage.play();
  BOOST_TEST(d.ended() == 3U);
  const std::string message = d.tasks.graph.wait_all().failure().message;
  BOOST_TEST(message.find("2 tasks failed") != std::string::npos);
  BOOST_TEST(message.find("the device went away") != std::string::npos);
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::workers
