#include "tests/support/bounds/best_schedule.hpp"

#include <boost/test/unit_test.hpp>
#include <vector>

// Tests that the search of tests/support/bounds finds known optima. Other tests compare lower bounds with its results.
namespace troupe::apps {
namespace {

BOOST_AUTO_TEST_SUITE(best_schedule, *boost::unit_test::tolerance(1e-12))

/// Returns tasks with these lengths, for `workers` equal workers.
BoundProblem of_lengths(const std::vector<double>& lengths, int workers) {
  BoundProblem problem{{}, 1, machine_of({{1.0}}, {workers})};
  for (const double length : lengths) problem.tasks.push_back({0, {}, length});
  return problem;
}

BOOST_AUTO_TEST_CASE(nothing_takes_no_time) { BOOST_TEST(best_makespan(of_lengths({}, 2)) == 0.0); }

BOOST_AUTO_TEST_CASE(numbers_are_divided_evenly) {
  BOOST_TEST(best_makespan(of_lengths({3, 3, 2, 2, 2}, 2)) == 6.0);
  BOOST_TEST(best_makespan(of_lengths({5, 5, 4, 4, 3, 3, 3}, 3)) == 9.0);
  BOOST_TEST(best_makespan(of_lengths({5, 1, 1, 1}, 3)) == 5.0);
}

BOOST_AUTO_TEST_CASE(a_worker_waits_though_it_could_run_something) {
  // Figure 1 of R. Graham, Bounds on multiprocessing timing anomalies, 1969: the best makespan on three workers is 12.
  // If every time is shorter by 1, the best makespan is 10. But a schedule in which no worker ever waits then takes 13.
  BoundProblem problem = of_lengths({3, 2, 2, 2, 4, 4, 4, 4, 9}, 3);
  problem.tasks[8].predecessors = {0};
  for (std::size_t task = 4; task < 8; ++task) problem.tasks[task].predecessors = {3};
  BOOST_TEST(best_makespan(problem) == 12.0);
  for (BoundTask& task : problem.tasks) --task.length;
  BOOST_TEST(best_makespan(problem) == 10.0);
}

BOOST_AUTO_TEST_CASE(unrelated_workers_get_what_suits_them) {
  // For each kind of task, one worker takes 1 s. The other two workers take 5 s or cannot run this kind.
  BoundProblem problem{{{0, {}}, {1, {}}, {2, {}}, {2, {}}},
                       3,
                       machine_of({{1, 5, 5}, {5, 1, kCannotRun}, {kCannotRun, 5, 1}}, {1, 1, 1})};
  BOOST_TEST(best_makespan(problem) == 2.0);
  problem.machine.types[2].count = 0;
  BOOST_TEST(best_makespan(problem) == 10.0);
  problem.machine.types[1].count = 0;
  BOOST_TEST((best_makespan(problem) == kCannotRun));
}

BOOST_AUTO_TEST_CASE(clusters_take_the_cores_of_others) {
  // A task takes 6 s on one of three cores, and 2 s on a cluster of two of these cores. In 6 s the cluster runs three
  // tasks and the third core runs a fourth.
  BoundProblem problem{std::vector<BoundTask>(3), 1, {{{{6.0}, 3, 1}, {{2.0}, 1, 2}}, 3}};
  BOOST_TEST(best_makespan(problem) == 6.0);
  problem.tasks.resize(4);
  BOOST_TEST(best_makespan(problem) == 6.0);
  problem.tasks.resize(5);
  BOOST_TEST(best_makespan(problem) == 8.0);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace troupe::apps
