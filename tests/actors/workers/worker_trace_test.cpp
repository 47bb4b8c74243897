#include "actors/workers/worker_trace.hpp"

#include <boost/test/unit_test.hpp>
#include <vector>

namespace troupe::workers {

BOOST_AUTO_TEST_SUITE(worker_trace)

namespace {

TaskSpan span(std::uint64_t task, int start, int end) {
  return {nullptr, TaskId(task), TimeStamp(start), TimeStamp(end), 0, 0, false};
}

std::vector<StateSpan> states(const WorkerTrace::Content& content) {
  std::vector<StateSpan> spans;
  content.states.for_each([&](const StateSpan& entry) { spans.push_back(entry); });
  return spans;
}

void is_span(const StateSpan& span, WorkerActivity state, int start, int end) {
  BOOST_TEST((span.state == state));
  BOOST_TEST(span.start.count() == start);
  BOOST_TEST(span.end.count() == end);
}

BOOST_AUTO_TEST_CASE(states_follow_one_another_without_overlap) {
  WorkerTrace trace;
  trace.enter(WorkerActivity::searching, TimeStamp(10));
  trace.enter(WorkerActivity::asleep, TimeStamp(25));
  BOOST_TEST((trace.state() == WorkerActivity::asleep));
  trace.enter(WorkerActivity::working, TimeStamp(40));
  trace.enter(WorkerActivity::stealing, TimeStamp(50));
  trace.enter(WorkerActivity::working, TimeStamp(51));
  const auto spans = states(trace.take(TimeStamp(60)));
  BOOST_TEST_REQUIRE(spans.size() == 3U);
  is_span(spans[0], WorkerActivity::searching, 10, 25);
  is_span(spans[1], WorkerActivity::asleep, 25, 40);
  is_span(spans[2], WorkerActivity::stealing, 50, 51);
}

BOOST_AUTO_TEST_CASE(a_state_that_lasts_is_cut_where_the_trace_is_taken) {
  WorkerTrace trace;
  trace.enter(WorkerActivity::asleep, TimeStamp(10));
  const auto first = states(trace.take(TimeStamp(30)));
  // The worker had read the clock at 29, but reports its new state only after the trace was taken at 30.
  trace.enter(WorkerActivity::searching, TimeStamp(29));
  trace.enter(WorkerActivity::working, TimeStamp(33));
  const auto second = states(trace.take(TimeStamp(50)));
  BOOST_TEST_REQUIRE(first.size() == 1U);
  is_span(first[0], WorkerActivity::asleep, 10, 30);
  BOOST_TEST_REQUIRE(second.size() == 1U);
  is_span(second[0], WorkerActivity::searching, 30, 33);
}

BOOST_AUTO_TEST_CASE(who_helps_says_with_which_task) {
  WorkerTrace trace;
  trace.enter(WorkerActivity::helping, TimeStamp(10), TaskId(7));
  const auto first = states(trace.take(TimeStamp(20)));
  trace.enter(WorkerActivity::working, TimeStamp(30));
  trace.enter(WorkerActivity::helping, TimeStamp(30), TaskId(8));
  trace.enter(WorkerActivity::asleep, TimeStamp(40));
  trace.enter(WorkerActivity::working, TimeStamp(50));
  const auto second = states(trace.take(TimeStamp(60)));
  BOOST_TEST_REQUIRE(first.size() == 1U);
  BOOST_TEST((first[0].task == TaskId(7)));
  BOOST_TEST_REQUIRE(second.size() == 3U);
  // The first state of the second trace is the rest of the state that the first trace cut at 20, so it has the same
  // task.
  BOOST_TEST((second[0].task == TaskId(7)));
  BOOST_TEST((second[1].task == TaskId(8)));
  BOOST_TEST(!second[2].task.valid());
}

BOOST_AUTO_TEST_CASE(only_tasks_with_a_name_have_one) {
  WorkerTrace trace;
  const std::string name = "corner";
  const std::string empty;
  trace.ran(span(1, 0, 1), nullptr);
  trace.ran(span(2, 1, 2), &name);
  trace.ran(span(3, 2, 3), &empty);
  const auto content = trace.take(TimeStamp(5));
  BOOST_TEST(content.tasks.size() == 3U);
  BOOST_TEST_REQUIRE(content.names.size() == 1U);
  BOOST_TEST((content.names[0].task == TaskId(2)));
  BOOST_TEST(content.names[0].name == "corner");
  BOOST_TEST(trace.take(TimeStamp(6)).names.empty());
}

BOOST_AUTO_TEST_CASE(children_have_their_parents_and_kernels_their_waits) {
  WorkerTrace trace;
  const ChildTask child{TaskId(2), TaskId(1), TimeStamp(3)};
  trace.ran(span(1, 0, 9), nullptr);
  trace.ran(span(2, 4, 6), nullptr, &child);
  trace.waited({TaskId(1), TimeStamp(3), TimeStamp(8)});
  const auto content = trace.take(TimeStamp(10));
  BOOST_TEST(content.tasks.size() == 2U);
  BOOST_TEST(content.children.size() == 1U);
  content.children.for_each([](const ChildTask& one) {
    BOOST_TEST((one.task == TaskId(2) && one.parent == TaskId(1) && one.submitted == TimeStamp(3)));
  });
  BOOST_TEST(content.waits.size() == 1U);
  content.waits.for_each([](const TraceWait& one) { BOOST_TEST((one.end == TimeStamp(8))); });
  const auto later = trace.take(TimeStamp(11));
  BOOST_TEST(later.children.size() == 0U);
  BOOST_TEST(later.waits.size() == 0U);
}

BOOST_AUTO_TEST_CASE(says_from_when_on_it_is_not_complete) {
  graph::TraceBudget budget(2);
  WorkerTrace trace;
  trace.use(&budget);
  const std::string name = "lost";
  trace.ran(span(1, 0, 1), nullptr);
  trace.enter(WorkerActivity::searching, TimeStamp(2));
  trace.enter(WorkerActivity::working, TimeStamp(3));
  trace.ran(span(2, 4, 6), &name);
  trace.ran(span(3, 7, 8), nullptr);
  {
    const auto content = trace.take(TimeStamp(9));
    BOOST_TEST(content.tasks.size() == 1U);
    BOOST_TEST(content.tasks.dropped() == 2U);
    BOOST_TEST(content.names.empty());
    BOOST_TEST(content.complete_until.count() == 4);
  }
  trace.ran(span(4, 10, 11), nullptr);
  const auto content = trace.take(TimeStamp(12));
  BOOST_TEST(content.tasks.size() == 1U);
  BOOST_TEST((content.complete_until == TimeStamp::max()));
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::workers
