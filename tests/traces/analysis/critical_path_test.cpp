#include "traces/analysis/critical_path.hpp"

#include <array>
#include <boost/test/unit_test.hpp>
#include <functional>
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

/// A nested task whose kernel submits two children at 4 us and at 8 us, and a task that follows.
HandMadeTrace divided() {
  HandMadeTrace trace;
  trace.task(1, 0, 0, 10).task(2, 1, 5, 25).task(3, 0, 10, 20).task(4, 0, 26, 35);
  trace.child(1, 2, 4).child(1, 3, 8);
  return trace;
}

BOOST_AUTO_TEST_CASE(goes_from_the_submission_of_a_child_to_what_follows_its_part) {
  HandMadeTrace trace = divided();
  trace.edge(1, 4).edge(3, 4);
  const CriticalPath path = critical_path(*trace);
  is_path(*trace, path, {1, 3, 4});
  BOOST_TEST((path.times == std::vector<Duration>{microseconds(8), microseconds(10), microseconds(9)}));
  BOOST_TEST((path.length == microseconds(27)));
  // The child began 2 us after its submission, and the last task 6 us after the child had ended.
  BOOST_TEST((path.pauses == microseconds(8)));
  BOOST_TEST((path.unpaused == microseconds(18)));
}

BOOST_AUTO_TEST_CASE(of_a_whole_nested_task_takes_the_longest_of_all_inside) {
  HandMadeTrace trace = divided();
  trace.whole_edge(1, 4);
  const CriticalPath path = critical_path(*trace);
  is_path(*trace, path, {1, 2, 4});
  BOOST_TEST((path.length == microseconds(4 + 20 + 9)));
}

BOOST_AUTO_TEST_CASE(of_a_kernel_alone_does_not_wait_for_children) {
  HandMadeTrace trace = divided();
  trace.edge(1, 4);
  is_path(*trace, critical_path(*trace), {1, 2});
  trace->events[1].end = HandMadeTrace::at(6);
  is_path(*trace, critical_path(*trace), {1, 4});
}

BOOST_AUTO_TEST_CASE(ignores_a_whole_nested_task_that_had_not_ended) {
  HandMadeTrace trace = divided();
  trace.whole_edge(1, 4);
  trace->events[1].end = HandMadeTrace::at(27);
  is_path(*trace, critical_path(*trace), {1, 2});
}

BOOST_AUTO_TEST_CASE(goes_through_grandchildren) {
  HandMadeTrace trace;
  trace.task(1, 0, 0, 10).task(2, 0, 10, 20).task(3, 0, 20, 60).task(4, 0, 60, 61);
  trace.child(1, 2, 10).child(2, 3, 15).whole_edge(1, 4);
  const CriticalPath path = critical_path(*trace);
  is_path(*trace, path, {1, 2, 3, 4});
  BOOST_TEST((path.length == microseconds(10 + 5 + 40 + 1)));
}

BOOST_AUTO_TEST_CASE(goes_through_the_children_that_a_kernel_waits_for) {
  HandMadeTrace trace;
  trace.task(1, 0, 0, 40).task(2, 0, 12, 28).child(1, 2, 5).wait(1, 10, 30);
  const CriticalPath path = critical_path(*trace);
  is_path(*trace, path, {1, 2, 1});
  BOOST_TEST((path.times == std::vector<Duration>{microseconds(5), microseconds(16), microseconds(10)}));
  BOOST_TEST((path.length == microseconds(31)));
  BOOST_TEST((path.pauses == microseconds(7 + 2)));
}

BOOST_AUTO_TEST_CASE(of_a_kernel_that_waits_briefly_is_the_kernel_without_the_wait) {
  HandMadeTrace trace;
  trace.task(1, 0, 0, 40).task(2, 1, 6, 22).child(1, 2, 5).wait(1, 21, 23);
  const CriticalPath path = critical_path(*trace);
  is_path(*trace, path, {1});
  BOOST_TEST((path.length == microseconds(38)));
}

BOOST_AUTO_TEST_CASE(never_takes_longer_than_the_run) {
  // A tree of tasks of 3 us that submit two others each at 1 us and at 2 us and wait for both, in a depth-first order
  // on one worker.
  HandMadeTrace trace;
  int now = 0;
  std::uint64_t ids = 0;
  const std::function<void(std::uint64_t, int, int)> run = [&](std::uint64_t parent, int submitted, int levels) {
    const std::uint64_t id = ++ids;
    const int start = now;
    std::vector<std::array<int, 2>> waits;
    for (int i = 0; i < 2 && levels > 0; ++i) {
      now += 1;
      const int wait = now;
      run(id, wait, levels - 1);
      waits.push_back({wait, now});
    }
    now += 1;
    trace.task(id, 0, start, now);
    if (parent != 0) trace.child(parent, id, submitted);
    for (const auto& [from, to] : waits) trace.wait(id, from, to);
  };
  run(0, 0, 6);
  const CriticalPath path = critical_path(*trace);
  // Each kernel waits for one child after the other, so that all of the run is one chain.
  BOOST_TEST((path.length == microseconds(now)));
  BOOST_TEST((path.pauses == Duration{}));
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::traces
