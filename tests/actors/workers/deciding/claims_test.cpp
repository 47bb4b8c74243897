#include "actors/workers/deciding/claims.hpp"

#include <boost/test/unit_test.hpp>
#include <cstdint>

#include "tests/support/loose_tasks.hpp"

namespace troupe::workers {

BOOST_AUTO_TEST_SUITE(claims)

namespace {

BOOST_AUTO_TEST_CASE(a_claimed_task_that_becomes_ready_is_kept_and_not_claimed_any_more) {
  tests::LooseTasks tasks(3);
  Claims claims;
  claims.add(*tasks(1));
  BOOST_TEST(claims.any());
  graph::TaskList ready;
  for (std::size_t i = 0; i < 3; ++i) ready.push_back(tasks(i));
  claims.keep(ready);
  BOOST_TEST(ready.size() == 2U);
  BOOST_TEST(ready.pop_front() == tasks(0));
  BOOST_TEST(ready.pop_front() == tasks(2));
  BOOST_TEST(!tasks(1)->issued_ahead);
  BOOST_TEST(!claims.any());
}

BOOST_AUTO_TEST_CASE(the_tasks_that_were_asked_about_last_are_remembered) {
  Claims claims;
  for (std::uint64_t i = 0; i < 70; ++i) claims.asked_about(TaskId(i));
  BOOST_TEST(claims.was_asked_about(TaskId(69)));
  BOOST_TEST(claims.was_asked_about(TaskId(6)));
  BOOST_TEST(!claims.was_asked_about(TaskId(5)));
  BOOST_TEST(!claims.was_asked_about(TaskId(70)));
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::workers
