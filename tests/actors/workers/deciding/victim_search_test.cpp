#include "actors/workers/deciding/victim_search.hpp"

#include <boost/test/unit_test.hpp>
#include <set>
#include <utility>

#include "tests/actors/graph_fixture.hpp"
#include "tests/actors/workers/steal_plans.hpp"

namespace troupe::workers {

namespace victim_search {

/// The search of worker 0, whose neighbour is worker 1. Workers 2 and 3 are farther away.
struct Fixture {
  static StealPlan two_rings() {
    StealPlan plan = tests::nobody_steals(4);
    plan.victims[0] = {{WorkerId(1)}, {WorkerId(2), WorkerId(3)}};
    return plan;
  }
  void give(std::uint32_t worker) { crew.ports[worker].deque.push(tasks.task()); }

  tests::GraphFixture tasks{4};
  Crew crew{tasks.graph, 4, two_rings()};
  VictimSearch search{crew, WorkerId(0), 7};
};

}  // namespace victim_search

BOOST_FIXTURE_TEST_SUITE(victim_search, victim_search::Fixture)

BOOST_AUTO_TEST_CASE(the_nearest_worker_with_tasks_is_asked) {
  give(3);
  BOOST_TEST((search.ask_next() == WorkerId(3)));
  give(1);
  BOOST_TEST((search.ask_next() == WorkerId(1)));
}

BOOST_AUTO_TEST_CASE(within_a_ring_a_random_worker_comes_first) {
  give(2);
  give(3);
  std::set<WorkerId> asked;
  for (int i = 0; i < 100; ++i) {
    search.end();
    asked.insert(search.ask_next());
  }
  BOOST_TEST((asked == std::set<WorkerId>{WorkerId(2), WorkerId(3)}));
}

BOOST_AUTO_TEST_CASE(where_no_victim_has_tasks_nobody_is_asked) {
  give(0);  // its own task
  BOOST_TEST(!search.sees_tasks());
  BOOST_TEST(!search.ask_next().valid());
  BOOST_TEST(!search.awaits_answer());
  give(2);
  BOOST_TEST(search.sees_tasks());
}

BOOST_AUTO_TEST_CASE(a_search_ends_after_some_failures_and_the_next_one_begins_again) {
  give(1);
  int asked = 0;
  while (search.ask_next().valid()) {
    ++asked;
    BOOST_TEST(search.answered(WorkerId(1), 0));
  }
  BOOST_TEST(asked == 9);  // twice the number of workers, and one
  search.end();
  BOOST_TEST(search.ask_next().valid());
}

BOOST_AUTO_TEST_CASE(only_the_victim_that_was_asked_last_ends_the_wait) {
  give(1);
  (void)search.ask_next();
  BOOST_TEST(!search.answered(WorkerId(2), 3));
  BOOST_TEST(search.awaits_answer());
  BOOST_TEST(search.answered(WorkerId(1), 0));
  BOOST_TEST(!search.awaits_answer());
}

BOOST_AUTO_TEST_CASE(the_last_victim_that_gave_tasks_is_told_once) {
  BOOST_TEST(!search.take_robbed().valid());
  search.answered(WorkerId(2), 3);
  search.answered(WorkerId(1), 0);
  BOOST_TEST((search.take_robbed() == WorkerId(2)));
  BOOST_TEST(!search.take_robbed().valid());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::workers
