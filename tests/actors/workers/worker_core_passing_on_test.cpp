// Tests that a worker passes its tasks on to other workers while the cores are regrouped.
#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "tests/actors/workers/core_fixture.hpp"

namespace troupe::workers {

BOOST_FIXTURE_TEST_SUITE(worker_core_passing_on, tests::CoreFixture)

namespace {

using tests::kFirst;
using tests::Lines;
const auto kPerElement = boost::test_tools::per_element();

BOOST_AUTO_TEST_CASE(who_is_to_help_begins_nothing_and_passes_on_what_lies_with_it) {
  deque(kFirst).push(task("a"));
  deque(kFirst).push(task("b"));
  BOOST_TEST(steps() == (Lines{"start b"}), kPerElement);
  crew.ports[0].standing.set(RegroupingState::drains_to_help);
  // Task "a" is passed on, but task "b" still runs, so the worker has not drained yet.
  BOOST_TEST(steps() == (Lines{"send on a"}), kPerElement);
  core.task_ended(*started.front(), nullptr);
  BOOST_TEST(steps() == (Lines{"stand by"}), kPerElement);
  crew.ports[0].standing.set(RegroupingState::helps);
  deque(kFirst).push(task("late"));
  BOOST_TEST(core.has_any_to_pass_on());
  BOOST_TEST(steps() == (Lines{"send on late", "stand by"}), kPerElement);
  crew.ports[0].standing.set(RegroupingState::opens);
  crew.ports[0].standing.open_up();
  deque(kFirst).push(task("c"));
  BOOST_TEST(steps() == (Lines{"start c"}), kPerElement);
}

BOOST_AUTO_TEST_CASE(who_is_to_lead_keeps_what_others_can_steal) {
  deque(kFirst).push(task("a"));
  crew.ports[0].standing.set(RegroupingState::drains_to_lead);
  BOOST_TEST(steps() == (Lines{"stand by"}), kPerElement);
  core.drained();
  crew.ports[0].standing.set(RegroupingState::waits_to_lead);
  BOOST_TEST(steps() == (Lines{"stand by"}), kPerElement);
  BOOST_TEST(!core.has_any_to_pass_on());
  BOOST_TEST(deque(kFirst).size() == 1U);
}

BOOST_AUTO_TEST_CASE(who_is_to_lead_has_what_was_placed_on_it_placed_again_once) {
  TaskDeque activation;
  WorkerCore placed(crew, {.self = kFirst, .in_order = true, .activation_queue = &activation});
  for (int round = 0; round < 2; ++round) {
    deque(kFirst).push(task("a"));
    deque(kFirst).push(task("b"));
    crew.ports[0].standing.set(RegroupingState::drains_to_lead);
    BOOST_TEST(placed.next().task->extras->name == "a");
    // A task is placed on the worker again. The placement is valid, because the worker will lead a cluster.
    deque(kFirst).push(task("c"));
    BOOST_TEST(placed.next().task->extras->name == "b");
    BOOST_TEST((placed.next().kind == Step::Kind::stand_by));
    placed.drained();
    BOOST_TEST(deque(kFirst).size() == 1U);
    (void)deque(kFirst).pop_oldest();
  }
}

BOOST_AUTO_TEST_CASE(who_does_not_take_tasks_never_rests_among_the_idle) {
  crew.ports[0].standing.set(RegroupingState::drains_to_help);
  BOOST_TEST(!core.park());
  BOOST_TEST(crew.idle.empty());
  BOOST_TEST(core.finds_work());
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::workers
