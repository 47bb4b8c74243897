#include "traces/analysis/run_analysis.hpp"

#include <boost/test/unit_test.hpp>
#include <random>

#include "tests/traces/files/trace_sample.hpp"

namespace troupe::traces {

BOOST_AUTO_TEST_SUITE(run_analysis)

namespace {

using std::chrono::microseconds;
using tests::HandMadeTrace;

long us(Duration duration) { return std::chrono::duration_cast<microseconds>(duration).count(); }

Duration parts(const WorkerUse& use) {
  return use.kernels + use.overhead + use.searching + use.waiting + use.idle + use.lent;
}

BOOST_AUTO_TEST_CASE(of_nothing_has_no_time) {
  const RunAnalysis analysis = analyse({}, 2);
  BOOST_TEST(us(analysis.makespan) == 0);
  BOOST_TEST(analysis.workers.size() == 2U);
  BOOST_TEST(analysis.codelets.empty());
  BOOST_TEST(us(analysis.bound()) == 0);
  BOOST_TEST(us(analyse({}, 0).work_bound()) == 0);
}

BOOST_AUTO_TEST_CASE(time_without_a_task_is_idle_only_where_nothing_ran_anywhere) {
  HandMadeTrace trace;
  trace.task(1, 0, 10, 50).task(2, 0, 60, 70);
  trace.state(1, WorkerActivity::asleep, -100, 200);
  const RunAnalysis analysis = analyse(*trace, 2, Interval{HandMadeTrace::at(0), HandMadeTrace::at(100)});
  BOOST_TEST(us(analysis.makespan) == 100);
  BOOST_TEST(us(analysis.workers[1].waiting) == 50);
  BOOST_TEST(us(analysis.workers[1].idle) == 50);
  // The trace has no states in which worker 0 looks for work or sleeps, so the rest of its time counts as overhead.
  BOOST_TEST(us(analysis.workers[0].kernels) == 50);
  BOOST_TEST(us(analysis.workers[0].overhead) == 50);
}

BOOST_AUTO_TEST_CASE(looking_for_work_counts_as_such_while_another_computes) {
  HandMadeTrace trace;
  trace.task(1, 0, 0, 100).task(2, 1, 0, 20);
  trace.state(1, WorkerActivity::searching, 22, 72).state(1, WorkerActivity::asleep, 72, 120);
  const WorkerUse use = analyse(*trace, 2).workers[1];
  BOOST_TEST(us(use.kernels) == 20);
  BOOST_TEST(us(use.overhead) == 2);
  BOOST_TEST(us(use.searching) == 50);
  BOOST_TEST(us(use.waiting) == 28);
  BOOST_TEST(us(use.idle) == 0);
  BOOST_TEST(us(use.at_the_end) == 78);
}

BOOST_AUTO_TEST_CASE(a_steal_is_searching_whatever_others_do) {
  HandMadeTrace trace;
  trace.task(1, 0, 0, 10).task(2, 1, 30, 40).state(1, WorkerActivity::stealing, 15, 18);
  const WorkerUse use = analyse(*trace, 2).workers[1];
  BOOST_TEST(us(use.searching) == 3);
  BOOST_TEST(us(use.at_the_end) == 0);
}

BOOST_AUTO_TEST_CASE(pieces_of_others_tasks_are_kernels_and_no_tasks) {
  HandMadeTrace trace;
  trace.task(1, 0, 0, 40).state(1, WorkerActivity::helping, 10, 60).state(0, WorkerActivity::asleep, 40, 60);
  const RunAnalysis analysis = analyse(*trace, 2);
  BOOST_TEST(us(analysis.makespan) == 60);
  BOOST_TEST(analysis.tasks == 1U);
  BOOST_TEST(analysis.workers[1].tasks == 0U);
  BOOST_TEST(us(analysis.workers[1].kernels) == 50);
  BOOST_TEST(us(analysis.workers[1].overhead) == 10);
  // The other worker had nothing to do while this worker computed, so its time counts as waiting.
  BOOST_TEST(us(analysis.workers[0].waiting) == 20);
}

BOOST_AUTO_TEST_CASE(a_wait_in_a_kernel_counts_as_what_the_worker_does_meanwhile) {
  const RunAnalysis analysis = analyse(tests::nested_trace(), 2);
  BOOST_TEST(us(analysis.makespan) == 95);
  // The kernel ran for 18 us of its 60 us. On top of it ran a child for 10 us; later the worker ran two tasks more.
  BOOST_TEST(us(analysis.workers[0].kernels) == 18 + 10 + 20 + 5);
  BOOST_TEST(us(analysis.workers[0].waiting) == 26);
  BOOST_TEST(us(analysis.workers[0].idle) == 1);
  BOOST_TEST(us(analysis.workers[0].overhead) == 95 - 53 - 27);
  BOOST_TEST(analysis.workers[0].tasks == 4U);
  BOOST_TEST(us(analysis.workers[1].kernels) == 50);
  BOOST_TEST(us(analysis.codelets.front().total) == 40);
}

BOOST_AUTO_TEST_CASE(a_path_counts_a_task_once_that_it_goes_through_twice) {
  const RunAnalysis analysis = analyse(tests::nested_trace(), 2);
  // The kernel until it submits task 3, that task, the rest of the kernel until it submits task 4, which submits 5.
  BOOST_TEST(us(analysis.path.length) == 8 + 40 + 6 + 2 + 20 + 5);
  BOOST_TEST(analysis.path.tasks.size() == 6U);
  BOOST_TEST(analysis.path_tasks() == 5U);
  for (const PathUse& use : analysis.path_codelets) {
    if (use.codelet == "sort") BOOST_TEST(us(use.total) == 14);
  }
}

BOOST_AUTO_TEST_CASE(the_window_is_from_the_first_start_to_the_last_end) {
  HandMadeTrace trace;
  trace.task(1, 0, 10, 100).task(2, 1, 20, 30);
  BOOST_TEST(us(analyse(*trace, 2).makespan) == 90);
}

BOOST_AUTO_TEST_CASE(codelets_have_their_statistics) {
  HandMadeTrace trace;
  trace.task(1, 0, 0, 10, "small", 1e4).task(2, 0, 10, 30, "small", 2e4).task(3, 0, 30, 130, "large");
  trace->events[1].failed = true;
  const RunAnalysis analysis = analyse(*trace, 1);
  BOOST_TEST_REQUIRE(analysis.codelets.size() == 2U);
  BOOST_TEST(analysis.codelets[0].name == "large");
  BOOST_TEST(analysis.codelets[0].deviation_s == 0.0);
  BOOST_TEST(analysis.codelets[0].gflops == 0.0);
  const CodeletUse& small = analysis.codelets[1];
  BOOST_TEST(small.tasks == 2U);
  BOOST_TEST(small.failed == 1U);
  BOOST_TEST(us(small.total) == 30);
  BOOST_TEST(small.mean_s == 15e-6, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(small.deviation_s == 7.0710678e-6, boost::test_tools::tolerance(1e-6));
  BOOST_TEST(us(small.shortest) == 10);
  BOOST_TEST(us(small.longest) == 20);
  BOOST_TEST(small.gflops == 1.0, boost::test_tools::tolerance(1e-9));
  BOOST_TEST((small.slowed == Duration{}));
}

BOOST_AUTO_TEST_CASE(slow_tasks_are_measured_by_the_fastest_quartile_per_operation) {
  HandMadeTrace trace;
  int start = 0;
  for (std::uint64_t i = 1; i <= 8; ++i) {
    // Some tasks take twice as long because they have twice as many operations. The last task is slow without such a
    // reason.
    const int length = i == 8 ? 50 : (i % 2 == 0 ? 20 : 10);
    trace.task(i, 0, start, start + length, "work", i % 2 == 0 ? 2000 : 1000);
    start += length;
  }
  BOOST_TEST(us(analyse(*trace, 1).codelets[0].slowed) == 30);
}

BOOST_AUTO_TEST_CASE(bounds_are_work_and_critical_path) {
  HandMadeTrace trace;
  trace.task(1, 0, 0, 30, "a").task(2, 1, 0, 10, "b").task(3, 0, 32, 52, "a").edge(1, 3).edge(2, 9);
  const RunAnalysis analysis = analyse(*trace, 2);
  BOOST_TEST(analysis.dependencies == 1U);
  BOOST_TEST(us(analysis.work_bound()) == 30);
  BOOST_TEST(us(analysis.path.length) == 50);
  BOOST_TEST(us(analysis.bound()) == 50);
  BOOST_TEST_REQUIRE(analysis.path_codelets.size() == 1U);
  BOOST_TEST(analysis.path_codelets[0].codelet == "a");
  BOOST_TEST(analysis.path_codelets[0].tasks == 2U);
}

BOOST_AUTO_TEST_CASE(ends_where_the_trace_begins_to_lack_entries) {
  HandMadeTrace trace;
  trace.task(1, 0, 0, 10).task(2, 0, 90, 100).dropped(7, 10);
  const RunAnalysis analysis = analyse(*trace, 1, Interval{HandMadeTrace::at(0), HandMadeTrace::at(100)});
  BOOST_TEST(analysis.dropped == 7U);
  BOOST_TEST(us(analysis.makespan) == 10);
  BOOST_TEST(us(analysis.workers[0].kernels) == 10);
  BOOST_TEST(us(analysis.workers[0].overhead) == 0);
}

BOOST_AUTO_TEST_CASE(tasks_of_no_duration_count) {
  HandMadeTrace trace;
  trace.task(1, 0, 5, 5).task(2, 0, 5, 5).edge(1, 2);
  const RunAnalysis analysis = analyse(*trace, 1);
  BOOST_TEST(analysis.tasks == 2U);
  BOOST_TEST(us(analysis.makespan) == 0);
  BOOST_TEST(analysis.codelets[0].tasks == 2U);
  BOOST_TEST(analysis.codelets[0].gflops == 0.0);
}

BOOST_AUTO_TEST_CASE(the_parts_of_every_worker_sum_up_whatever_the_trace_says) {
  std::mt19937 random(11);
  const auto below = [&](unsigned bound) { return static_cast<int>(random() % bound); };
  for (int round = 0; round < 200; ++round) {
    HandMadeTrace trace;
    for (std::uint64_t i = 1; i <= 30; ++i) {
      const int start = below(1000);
      // The trace may have overlapping tasks, unknown workers and states that overlap tasks, which real traces never
      // have.
      trace.task(i, static_cast<std::uint32_t>(below(4)), start, start + below(60));
      const auto state = static_cast<WorkerActivity>(below(kWorkerActivities));
      const int from = below(1200) - 100;
      trace.state(static_cast<std::uint32_t>(below(4)), state, from, from + below(100));
      trace.edge(i, 1 + static_cast<std::uint64_t>(below(30))).whole_edge(1 + static_cast<std::uint64_t>(below(30)), i);
      if (i == 1 || round % 2 == 0) continue;
      trace.child(1 + static_cast<std::uint64_t>(below(30)), i, below(1000)).wait(i, from, from + below(100));
    }
    const RunAnalysis analysis = analyse(*trace, 3, Interval{HandMadeTrace::at(50), HandMadeTrace::at(900)});
    for (const WorkerUse& use : analysis.workers) {
      BOOST_TEST_REQUIRE((parts(use) == analysis.makespan));
      BOOST_TEST_REQUIRE((use.at_the_end <= use.searching + use.waiting));
    }
    BOOST_TEST_REQUIRE((analysis.path.pauses >= Duration{}));
    BOOST_TEST_REQUIRE((analysis.path.unpaused <= analysis.path.length));
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::traces
