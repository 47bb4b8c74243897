#include "traces/analysis/task_tree.hpp"

#include <boost/test/unit_test.hpp>
#include <chrono>

#include "tests/traces/files/trace_sample.hpp"

namespace troupe::traces {

BOOST_AUTO_TEST_SUITE(task_tree)

namespace {

using std::chrono::microseconds;
using tests::HandMadeTrace;

NestedTasks nested_in(const Trace& trace) { return nested_tasks(trace, TaskTree(trace, TraceIndex(trace))); }

BOOST_AUTO_TEST_CASE(knows_parents_levels_and_the_ends_of_all_inside) {
  const Trace trace = tests::nested_trace();
  const TaskTree tree(trace, TraceIndex(trace));
  BOOST_TEST(tree.any());
  // The events are in the order of their starts: tasks 1, 3, 2, 4, 5, 6.
  BOOST_TEST(tree.parent_of(0) == TaskTree::kNone);
  BOOST_TEST(tree.parent_of(1) == 0U);
  BOOST_TEST(tree.parent_of(4) == 3U);
  BOOST_TEST(tree.depth_of(4) == 2U);
  BOOST_TEST((tree.end_of(0) == HandMadeTrace::at(86)));
  BOOST_TEST((tree.end_of(1) == HandMadeTrace::at(50)));
}

BOOST_AUTO_TEST_CASE(tells_what_a_nested_task_consists_of) {
  const NestedTasks nested = nested_in(tests::nested_trace());
  BOOST_TEST(nested.outermost == 1U);
  BOOST_TEST(nested.inside == 4U);
  BOOST_TEST(nested.levels == 2U);
  BOOST_TEST_REQUIRE(nested.longest.size() == 1U);
  const NestedUse& sort = nested.longest.front();
  BOOST_TEST(sort.task.value() == 1U);
  BOOST_TEST(sort.codelet == "sort");
  BOOST_TEST(sort.name == "all");
  BOOST_TEST(sort.inside == 4U);
  BOOST_TEST(sort.levels == 2U);
  BOOST_TEST((sort.kernels == microseconds(18 + 10 + 40 + 10 + 20)));
  BOOST_TEST((sort.span == microseconds(86)));
  BOOST_TEST(sort.at_once() == 98.0 / 86.0, boost::test_tools::tolerance(1e-12));
}

BOOST_AUTO_TEST_CASE(the_least_parallel_come_first_at_all_levels) {
  const NestedTasks nested = nested_in(tests::nested_trace());
  BOOST_TEST_REQUIRE(nested.narrowest.size() == 2U);
  // Task 4 and its child overlap for 6 us of 24 us, which is 30 us of kernels.
  BOOST_TEST(nested.narrowest[0].task.value() == 1U);
  BOOST_TEST(nested.narrowest[1].task.value() == 4U);
  BOOST_TEST(nested.narrowest[1].at_once() == 30.0 / 24.0, boost::test_tools::tolerance(1e-12));
}

BOOST_AUTO_TEST_CASE(lists_the_longest_of_many_and_leaves_out_the_shortest_of_the_least_parallel) {
  HandMadeTrace trace;
  for (std::uint64_t i = 0; i < 20; ++i) {
    const int start = static_cast<int>(i) * 10000;
    // The children are longer and longer. The first nested task has the fewest kernels at once, and takes below 1 % of
    // the time of the last.
    const int end = start + 60 + static_cast<int>(i) * 400;
    trace.task(2 * i + 1, 0, start, start + 10, "parent");
    trace.task(2 * i + 2, 1, i == 0 ? end - 1 : start + 5, end, "child");
    trace.child(2 * i + 1, 2 * i + 2, start + 5);
  }
  const NestedTasks nested = nested_in(*trace);
  BOOST_TEST(nested.outermost == 20U);
  BOOST_TEST(nested.longest.size() == NestedTasks::kMost);
  BOOST_TEST(nested.longest.front().task.value() == 39U);
  BOOST_TEST(nested.narrowest.front().task.value() == 39U);
  for (const NestedUse& use : nested.narrowest) BOOST_TEST(use.task.value() > 1U);
}

BOOST_AUTO_TEST_CASE(of_tasks_of_the_program_is_empty) {
  const Trace trace = tests::sample_trace();
  BOOST_TEST(!TaskTree(trace, TraceIndex(trace)).any());
  BOOST_TEST(nested_in(trace).inside == 0U);
  BOOST_TEST(nested_in({}).outermost == 0U);
}

BOOST_AUTO_TEST_CASE(parents_without_an_event_count_as_none) {
  HandMadeTrace trace;
  trace.task(5, 0, 0, 10).child(2, 5, 0);
  BOOST_TEST(!TaskTree(*trace, TraceIndex(*trace)).any());
  // A task that is older than its parent would make a circle.
  trace.task(6, 0, 10, 20).child(6, 5, 0).child(5, 6, 0);
  const TaskTree tree(*trace, TraceIndex(*trace));
  BOOST_TEST(tree.parent_of(0) == TaskTree::kNone);
  BOOST_TEST(tree.parent_of(1) == 0U);
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::traces
