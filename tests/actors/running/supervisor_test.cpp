#include "actors/running/supervisor.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <system_error>

#include "tests/actors/stage_actor.hpp"

namespace troupe::actors {

BOOST_AUTO_TEST_SUITE(supervisor)

namespace {

using tests::Lines;
using tests::Stage;
const auto kPerElement = boost::test_tools::per_element();

/// Three workers whose actors only record the messages that they receive.
struct Dialogue {
  explicit Dialogue(bool with_scheduler = false) {
    SupervisorSetup setup;
    setup.workers = 3;
    setup.peers = peers;
    setup.spawn_worker = [this](caf::event_based_actor*, WorkerId worker) {
      if (refusals > 0) {
        --refusals;
        throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again));
      }
      ++spawned;
      return stage.listener<StartWorker, StealReply>(std::to_string(worker.value()));
    };
    if (with_scheduler) {
      setup.spawn_scheduler = [this] { return stage.listener<TasksActivated>("scheduler"); };
      setup.lost_scheduler = [this](const std::string&) { happened.emplace_back("lost the scheduler"); };
    }
    setup.started = [this](const WorkerStarted& message) { happened.push_back(tests::in_words(message)); };
    setup.lost = [this](WorkerId worker, const std::string& reason) {
      happened.push_back("lost " + std::to_string(worker.value()) + ": " + reason);
    };
    supervisor = stage.system.spawn(supervisor_behavior, std::make_shared<SupervisorState>(std::move(setup)));
    stage.play();
  }
  ~Dialogue() {
    stage.tell(supervisor, Stop{});
    stage.play();
    peers->clear();
  }

  Stage stage;
  std::shared_ptr<workers::Peers> peers = std::make_shared<workers::Peers>(3);
  caf::actor supervisor;
  Lines happened;
  int spawned = 0;
  /// The number of further attempts to start a worker that fail because the worker gets no thread. Each failed attempt
  /// decreases the number.
  int refusals = 0;
};

BOOST_AUTO_TEST_CASE(it_starts_every_worker) {
  Dialogue d;
  Lines heard = d.stage.heard();
  std::sort(heard.begin(), heard.end());
  BOOST_TEST(heard == (Lines{"0: start worker", "1: start worker", "2: start worker"}), kPerElement);
  d.stage.tell(d.supervisor, WorkerStarted{WorkerId(2), true});
  d.stage.play();
  BOOST_TEST(d.happened == (Lines{"worker 2 started, bound"}), kPerElement);
}

BOOST_AUTO_TEST_CASE(a_worker_that_dies_is_reported_replaced_and_waited_for_by_nobody) {
  Dialogue d;
  d.stage.heard();
  const caf::actor dead = d.peers->get(WorkerId(1));
  caf::anon_send_exit(dead, caf::exit_reason::kill);
  d.stage.play();
  BOOST_TEST(d.happened.size() == 1U);
  BOOST_TEST(d.happened[0].find("lost 1: ") == 0U);
  BOOST_TEST((d.peers->get(WorkerId(1)) != dead));
  Lines heard = d.stage.heard();
  std::sort(heard.begin(), heard.end());
  BOOST_TEST(heard == (Lines{"0: 1 gave 0", "1: 1 gave 0", "1: start worker", "2: 1 gave 0"}), kPerElement);
}

BOOST_AUTO_TEST_CASE(a_replacement_is_replaced_too) {
  Dialogue d;
  for (int i = 0; i < 5; ++i) {
    caf::anon_send_exit(d.peers->get(WorkerId(2)), caf::exit_reason::kill);
    d.stage.play();
  }
  BOOST_TEST(d.happened.size() == 5U);
  BOOST_TEST(d.spawned == 8);
}

BOOST_AUTO_TEST_CASE(replacements_that_get_no_thread_get_one_later) {
  Dialogue d;
  d.refusals = 4;
  for (const std::uint32_t worker : {0, 2}) caf::anon_send_exit(d.peers->get(WorkerId(worker)), caf::exit_reason::kill);
  d.stage.play();
  BOOST_TEST(d.happened.size() == 2U);
  BOOST_TEST(d.refusals == 1);
  BOOST_TEST(d.spawned == 3);
  // The first replacement gets no thread again. The second replacement does not have to wait for the first.
  for (const int spawned : {4, 5, 5}) {
    d.stage.wait();
    d.stage.play();
    BOOST_TEST(d.refusals == 0);
    BOOST_TEST(d.spawned == spawned);
  }
}

BOOST_AUTO_TEST_CASE(however_many_get_no_thread_each_is_tried_for_once_at_a_time) {
  Dialogue d;
  d.refusals = 100;
  for (const std::uint32_t worker : {0, 1, 2}) {
    caf::anon_send_exit(d.peers->get(WorkerId(worker)), caf::exit_reason::kill);
  }
  d.stage.play();
  for (int round = 0; round < 3; ++round) {
    const int before = d.refusals;
    d.stage.wait();
    d.stage.play();
    BOOST_TEST(d.refusals == before - 3);
  }
}

BOOST_AUTO_TEST_CASE(told_to_stop_it_does_not_wait_for_a_worker_that_gets_no_thread) {
  Dialogue d;
  caf::scoped_actor watcher(d.stage.system);
  watcher->monitor(d.supervisor);
  d.refusals = 1;
  caf::anon_send_exit(d.peers->get(WorkerId(1)), caf::exit_reason::kill);
  d.stage.play();
  d.stage.tell(d.supervisor, Stop{});
  d.stage.play();
  d.stage.wait();
  d.stage.play();
  bool ended = false;
  watcher->receive([&](const caf::down_msg&) { ended = true; }, caf::after(std::chrono::seconds(0)) >> [] {});
  BOOST_TEST(ended);
  BOOST_TEST(d.spawned == 3);
}

BOOST_AUTO_TEST_CASE(a_scheduler_that_dies_is_replaced_before_its_tasks_are_rescued) {
  Dialogue d(true);
  for (int i = 0; i < 3; ++i) {
    const caf::actor dead = d.peers->scheduler();
    caf::anon_send_exit(dead, caf::exit_reason::kill);
    d.stage.play();
    BOOST_TEST((d.peers->scheduler() != dead));
  }
  BOOST_TEST(d.happened == Lines(3, "lost the scheduler"), kPerElement);
  d.stage.heard();
  d.peers->tell_scheduler();
  d.stage.play();
  BOOST_TEST(d.stage.heard().size() == 1U);
}

BOOST_AUTO_TEST_CASE(told_to_stop_it_ends_after_all_workers_though_one_is_killed_meanwhile) {
  Dialogue d;
  caf::scoped_actor watcher(d.stage.system);
  watcher->monitor(d.supervisor);
  caf::anon_send_exit(d.peers->get(WorkerId(0)), caf::exit_reason::kill);
  d.stage.tell(d.supervisor, Stop{});
  d.stage.play();
  bool ended = false;
  watcher->receive([&](const caf::down_msg&) { ended = true; }, caf::after(std::chrono::seconds(0)) >> [] {});
  BOOST_TEST(ended);
  BOOST_TEST(d.spawned >= 3);
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::actors
