#include "traces/analysis/critical_path.hpp"

#include <boost/test/unit_test.hpp>
#include <vector>

#include "tests/support/hand_made_trace.hpp"

namespace troupe::traces {

BOOST_AUTO_TEST_SUITE(critical_paths)

namespace {

using std::chrono::microseconds;
using tests::HandMadeTrace;

std::vector<std::uint64_t> ids(const Trace& trace, const CriticalPath& path) {
  std::vector<std::uint64_t> ids;
  for (const std::size_t i : path.tasks) ids.push_back(trace.events[i].task.value());
  return ids;
}
void is_path(const Trace& trace, const CriticalPath& path, const std::vector<std::uint64_t>& expected) {
  BOOST_TEST(ids(trace, path) == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(of_nothing_is_empty) {
  const CriticalPath path = critical_path({});
  BOOST_TEST(path.tasks.empty());
  BOOST_TEST((path.length == Duration{}));
}

BOOST_AUTO_TEST_CASE(of_independent_tasks_is_the_longest) {
  HandMadeTrace trace;
  trace.task(1, 0, 0, 10).task(2, 1, 0, 30).task(3, 0, 10, 20);
  is_path(*trace, critical_path(*trace), {2});
}

BOOST_AUTO_TEST_CASE(of_a_diamond_takes_the_longer_side) {
  HandMadeTrace trace;
  trace.task(1, 0, 0, 10).task(2, 0, 10, 20).task(3, 1, 12, 32).task(4, 0, 40, 45);
  trace.edge(1, 2).edge(1, 3).edge(2, 4).edge(3, 4);
  const CriticalPath path = critical_path(*trace);
  is_path(*trace, path, {1, 3, 4});
  BOOST_TEST((path.length == microseconds(35)));
  BOOST_TEST((path.pauses == microseconds(10)));
  BOOST_TEST((path.longest_pause == microseconds(8)));
  // `unpaused` adds up tasks that begin soon after their predecessor. It includes the task that begins 2 us after its
  // predecessor.
  BOOST_TEST((path.unpaused == microseconds(30)));
}

BOOST_AUTO_TEST_CASE(of_a_chain_is_the_chain) {
  HandMadeTrace trace;
  for (int i = 0; i < 100; ++i) {
    trace.task(static_cast<std::uint64_t>(i) + 1, i % 2 == 0 ? 0 : 1, 11 * i, 11 * i + 10);
    if (i > 0) trace.edge(static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(i) + 1);
  }
  const CriticalPath path = critical_path(*trace);
  BOOST_TEST(path.tasks.size() == 100U);
  BOOST_TEST((path.length == microseconds(1000)));
  BOOST_TEST((path.unpaused == microseconds(1000)));
  BOOST_TEST((path.pauses == microseconds(99)));
}

BOOST_AUTO_TEST_CASE(has_tasks_of_no_duration_in_order) {
  HandMadeTrace trace;
  trace.task(1, 0, 5, 5).task(2, 1, 5, 5).task(3, 0, 5, 9).edge(1, 2).edge(2, 3);
  // All times are equal, so the events are ordered by the ids of their tasks.
  is_path(*trace, critical_path(*trace), {1, 2, 3});
}

BOOST_AUTO_TEST_CASE(of_equally_far_predecessors_follows_the_one_that_ended_last) {
  HandMadeTrace trace;
  trace.task(1, 0, 0, 10).task(2, 1, 3, 13).task(3, 0, 13, 20).edge(1, 3).edge(2, 3);
  is_path(*trace, critical_path(*trace), {2, 3});
}

BOOST_AUTO_TEST_CASE(ignores_dependencies_that_cannot_be) {
  HandMadeTrace trace;
  trace.task(1, 0, 0, 10).task(2, 1, 5, 12).task(3, 0, 20, 21);
  // These edges must be ignored: they go back in time, lead to the same task, or belong to a task that does not exist.
  trace.edge(1, 2).edge(3, 1).edge(2, 2).edge(7, 3).edge(3, 8).edge(2, 3);
  is_path(*trace, critical_path(*trace), {1});
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::traces
