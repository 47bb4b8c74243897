#include "actors/workers/crew_inspection.hpp"

#include <boost/test/unit_test.hpp>

#include "tests/actors/graph_fixture.hpp"

namespace troupe::workers {

namespace crew_inspection {

struct Fixture : tests::GraphFixture {
  Fixture() : tests::GraphFixture(3), crew(graph, 3, plan()) {}

  static StealPlan plan() {
    StealPlan plan;
    plan.victims.resize(3);
    return plan;
  }

  Crew crew;
};

}  // namespace crew_inspection

BOOST_FIXTURE_TEST_SUITE(crew_inspection, Fixture)

BOOST_AUTO_TEST_CASE(only_workers_with_a_task_are_said_to_run_one) {
  BOOST_TEST(running_tasks(crew).empty());
  graph::Task* const task = this->task();
  crew.ports[2].running_since = 17;
  crew.ports[2].running = task;
  const auto running = running_tasks(crew);
  BOOST_TEST_REQUIRE(running.size() == 1U);
  BOOST_TEST(running[0].task == task);
  BOOST_TEST((running[0].worker == WorkerId(2)));
  BOOST_TEST(running[0].since.count() == 17);
}

BOOST_AUTO_TEST_CASE(sleepers_and_queues_are_seen) {
  crew.idle.insert(WorkerId(1));
  crew.ports[0].deque.push(task());
  crew.ports[0].deque.push(task());
  graph::TaskList one;
  one.push_back(task());
  crew.entry.push(one);
  const observation::CrewSnapshot snapshot = look_at(crew);
  BOOST_TEST_REQUIRE(snapshot.workers.size() == 3U);
  BOOST_TEST(!snapshot.workers[0].asleep);
  BOOST_TEST(snapshot.workers[1].asleep);
  BOOST_TEST(snapshot.workers[0].queued == 2U);
  BOOST_TEST(snapshot.in_entry_queue == 1U);
}

BOOST_AUTO_TEST_CASE(the_pulse_changes_with_every_start_and_end_and_not_with_submissions) {
  const observation::Pulse before = pulse_of(crew);
  graph::Task* const task = this->task();
  BOOST_TEST(pulse_of(crew).activity == before.activity);
  BOOST_TEST(pulse_of(crew).in_flight == before.in_flight + 1);
  crew.ports[0].running_since = 5;
  const observation::Pulse started = pulse_of(crew);
  BOOST_TEST(started.activity != before.activity);
  graph::TaskList ready;
  graph.complete(*task, nullptr, WorkerId(0), ready);
  BOOST_TEST(pulse_of(crew).activity != started.activity);
  BOOST_TEST(pulse_of(crew).in_flight == 0U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::workers
