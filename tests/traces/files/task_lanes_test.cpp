#include "traces/files/task_lanes.hpp"

#include <boost/test/unit_test.hpp>

#include "tests/support/hand_made_trace.hpp"

namespace troupe::traces {

BOOST_AUTO_TEST_SUITE(task_lanes)

namespace {

using tests::HandMadeTrace;

BOOST_AUTO_TEST_CASE(tasks_one_after_the_other_share_a_lane) {
  HandMadeTrace trace;
  trace.task(1, 0, 0, 10).task(2, 0, 10, 20).task(3, 1, 5, 15);
  const TaskLanes lanes(*trace, 2);
  for (std::size_t i = 0; i < 3; ++i) BOOST_TEST(lanes.of(i) == 0U);
  BOOST_TEST(lanes.count(0) == 1U);
  BOOST_TEST(lanes.count(1) == 1U);
}

BOOST_AUTO_TEST_CASE(tasks_at_the_same_time_get_the_first_free_lane_each) {
  HandMadeTrace trace;
  trace.task(1, 0, 0, 10).task(2, 0, 5, 30).task(3, 0, 6, 8).task(4, 0, 9, 12).task(5, 0, 10, 11);
  const TaskLanes lanes(*trace, 1);
  BOOST_TEST(lanes.of(0) == 0U);
  BOOST_TEST(lanes.of(1) == 1U);
  BOOST_TEST(lanes.of(2) == 2U);
  BOOST_TEST(lanes.of(3) == 2U);
  BOOST_TEST(lanes.of(4) == 0U);
  BOOST_TEST(lanes.count(0) == 3U);
}

BOOST_AUTO_TEST_CASE(a_worker_without_tasks_has_one_lane) { BOOST_TEST(TaskLanes({}, 3).count(2) == 1U); }

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::traces
