#include "apps/bounds/lower_bounds.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <cmath>
#include <random>
#include <vector>

#include "apps/bounds/linear_program.hpp"
#include "tests/support/bounds/best_schedule.hpp"
#include "tests/support/tries.hpp"

namespace troupe::apps {
namespace {

/// Returns the tasks of a tile Cholesky with n x n tiles. The kinds are potrf 0, trsm 1, syrk 2 and gemm 3.
std::vector<BoundTask> cholesky(std::uint32_t n) {
  std::vector<BoundTask> tasks;
  std::vector<std::int64_t> writer(n * n, -1);
  const auto add = [&](std::uint32_t kind, std::vector<std::uint32_t> tiles) {
    BoundTask task{kind, {}};
    for (const auto tile : tiles) {
      if (writer[tile] >= 0) task.predecessors.push_back(static_cast<std::uint32_t>(writer[tile]));
    }
    writer[tiles.front()] = static_cast<std::int64_t>(tasks.size());
    tasks.push_back(std::move(task));
  };
  for (std::uint32_t k = 0; k < n; ++k) {
    add(0, {k * n + k});
    for (std::uint32_t i = k + 1; i < n; ++i) add(1, {i * n + k, k * n + k});
    for (std::uint32_t i = k + 1; i < n; ++i) {
      add(2, {i * n + i, i * n + k});
      for (std::uint32_t j = k + 1; j < i; ++j) add(3, {i * n + j, i * n + k, j * n + k});
    }
  }
  return tasks;
}

/// Returns the workers of a tiny machine: either cores and GPUs of some types with unrelated times, or cores that can
/// form clusters.
BoundMachine random_workers(std::mt19937& random, std::size_t kinds) {
  BoundMachine machine;
  const bool clusters = random() % 5 == 0;
  int left = 3;
  while (left > 0 && (machine.types.empty() || random() % 3 > 0)) {
    WorkerType type;
    type.count = 1 + static_cast<int>(random() % static_cast<unsigned>(left));
    left -= type.count;
    for (std::size_t kind = 0; kind < kinds; ++kind) {
      const double slower = random() % 8 == 0 ? 100 : random() % 2 == 0 ? 1 : 4;
      type.times.push_back(random() % 7 == 0 ? kCannotRun : slower * static_cast<double>(1 + random() % 9));
    }
    machine.types.push_back(std::move(type));
    if (!clusters) continue;
    machine.shared_cores = machine.types.front().count;
    WorkerType cluster{machine.types.front().times, 1, machine.shared_cores};
    for (double& time : cluster.times) time /= static_cast<double>(1 + random() % 3);
    machine.types.push_back(std::move(cluster));
    return machine;
  }
  return machine;
}

BoundProblem random_problem(unsigned seed) {
  std::mt19937 random(seed);
  BoundProblem problem;
  problem.kinds = 1 + random() % 4;
  problem.machine = random_workers(random, problem.kinds);
  const auto tasks = 1 + random() % 8;
  const auto density = 1 + random() % 4;
  const bool noise = random() % 3 == 0;
  for (std::uint32_t task = 0; task < tasks; ++task) {
    problem.tasks.push_back({static_cast<std::uint32_t>(random() % problem.kinds), {}});
    if (noise) problem.tasks.back().length = 0.5 + static_cast<double>(random() % 1000) / 1000;
    for (std::uint32_t before = 0; before < task; ++before) {
      if (random() % density == 0) problem.tasks.back().predecessors.push_back(before);
    }
  }
  return problem;
}

BOOST_AUTO_TEST_SUITE(lower_bound, *boost::unit_test::tolerance(1e-9))

BOOST_AUTO_TEST_CASE(nothing_takes_no_time) {
  const auto bounds = lower_bounds({{}, 1, machine_of({{1.0}}, {1})});
  BOOST_TEST(bounds.area_s == 0.0);
  BOOST_TEST(bounds.critical_path_s == 0.0);
  BOOST_TEST(bounds.iterated_s == 0.0);
}

BOOST_AUTO_TEST_CASE(a_task_that_can_run_nowhere_has_no_schedule) {
  BOOST_TEST(lower_bounds({{{0, {}}}, 1, machine_of({{kCannotRun}}, {1})}).staged_s == kCannotRun);
  BOOST_TEST(lower_bounds({{{0, {}}}, 1, machine_of({{kCannotRun, 1.0}}, {1, 0})}).iterated_s == kCannotRun);
}

BOOST_AUTO_TEST_CASE(independent_tasks_fill_the_machine) {
  // A task takes 4 s on a core and 1 s on a GPU. In 4 s the two cores run 2 tasks and the GPU runs 4.
  const BoundProblem problem{std::vector<BoundTask>(6), 1, machine_of({{4.0, 1.0}}, {2, 1})};
  const auto bounds = lower_bounds(problem);
  BOOST_TEST(bounds.area_s == 4.0);
  BOOST_TEST(bounds.critical_path_s == 1.0);
  BOOST_TEST(bounds.iterated_s == 4.0);
  BOOST_TEST(best_makespan(problem) == 4.0);
}

BOOST_AUTO_TEST_CASE(the_area_bound_gives_each_kind_to_whom_it_suits) {
  // Kind 0 takes 1 s everywhere. Kind 1 takes 4 s on the core and 1 s on the GPU.
  BoundProblem problem{std::vector<BoundTask>(8), 2, machine_of({{1.0, 1.0}, {4.0, 1.0}}, {1, 1})};
  for (std::size_t i = 4; i < 8; ++i) problem.tasks[i].kind = 1;
  BOOST_TEST(lower_bounds(problem).area_s == 4.0);
}

BOOST_AUTO_TEST_CASE(a_chain_takes_its_fastest_times) {
  BoundProblem problem{{{0, {}}, {1, {0}}, {0, {1}}}, 2, machine_of({{2.0, 3.0}, {7.0, 5.0}}, {1, 1})};
  const auto bounds = lower_bounds(problem);
  BOOST_TEST(bounds.critical_path_s == 9.0);
  BOOST_TEST(bounds.iterated_s == 9.0);
  BOOST_TEST(best_makespan(problem) == 9.0);
}

BOOST_AUTO_TEST_CASE(types_that_are_alike_count_as_one_and_absent_ones_not_at_all) {
  BoundProblem problem{std::vector<BoundTask>(6), 1, machine_of({{3.0, 3.0, 0.1, 3.0}}, {1, 1, 0, 1})};
  BOOST_TEST(lower_bounds(problem).area_s == 6.0);
}

// A task takes 4 s on one core and 1 s on a cluster of two cores. On four cores, two clusters run the four tasks in 2
// s, and no core is left for another task.
BOOST_AUTO_TEST_CASE(workers_that_share_cores_do_not_run_at_the_same_time) {
  BoundProblem problem{std::vector<BoundTask>(4), 1, {{{{4.0}, 4, 1}, {{1.0}, 2, 2}}, 4}};
  BOOST_TEST(lower_bounds(problem).area_s == 2.0);
  BOOST_TEST(best_makespan(problem) == 2.0);
  problem.machine.shared_cores = 0;
  BOOST_TEST(lower_bounds(problem).area_s == 4.0 / 3);
}

BOOST_AUTO_TEST_CASE(tasks_count_by_their_length) {
  BoundProblem problem{{{0, {}, 0.5}, {0, {}, 2.5}, {0, {0}, 3}}, 1, machine_of({{2.0}}, {2})};
  const auto bounds = lower_bounds(problem);
  BOOST_TEST(bounds.area_s == 6.0);
  BOOST_TEST(bounds.critical_path_s == 7.0);
  BOOST_TEST(bounds.staged_s == 7.0);
}

// Four tasks of kind 0 form a chain; ten of kind 1 are for the GPU alone. The area bound gives most of kind 0 to the
// core, but then the chain takes too long.
BOOST_AUTO_TEST_CASE(the_iterated_bound_is_above_area_and_critical_path_where_they_are_at_odds) {
  BoundProblem problem{{}, 2, machine_of({{4.0, 1.0}, {kCannotRun, 1.0}}, {1, 1})};
  for (std::uint32_t i = 0; i < 4; ++i) {
    problem.tasks.push_back({0, i > 0 ? std::vector<std::uint32_t>{i - 1} : std::vector<std::uint32_t>{}});
  }
  for (int i = 0; i < 10; ++i) problem.tasks.push_back({1, {}});
  const auto bounds = lower_bounds(problem);
  // With x tasks of kind 0 on the core, the area bound gives T = 4 x = (4 - x) + 10, so x = 2.8. The chain gives
  // 4 x + (4 - x) <= T = 14 - x, so x = 2.5.
  BOOST_TEST(bounds.area_s == 11.2);
  BOOST_TEST(bounds.critical_path_s == 4.0);
  BOOST_TEST(bounds.iterated_s == 11.5);
}

// Four independent tasks on two devices, and a chain of three tasks after (or before) all of them. While the chain
// runs, no other task can run.
BOOST_AUTO_TEST_CASE(the_staged_bound_knows_that_a_graph_ends_or_begins_with_few_tasks) {
  const BoundProblem ends{
      {{0, {}}, {0, {}}, {0, {}}, {0, {}}, {0, {0, 1, 2, 3}}, {0, {4}}, {0, {5}}}, 1, machine_of({{1.0}}, {2})};
  const BoundProblem begins{
      {{0, {}}, {0, {0}}, {0, {1}}, {0, {2}}, {0, {2}}, {0, {2}}, {0, {2}}}, 1, machine_of({{1.0}}, {2})};
  for (const BoundProblem& problem : {ends, begins}) {
    const auto bounds = lower_bounds(problem);
    BOOST_TEST(bounds.area_s == 3.5);
    BOOST_TEST(bounds.iterated_s == 4.0);
    BOOST_TEST(bounds.staged_s == 5.0);
    BOOST_TEST(best_makespan(problem) == 5.0);
  }
}

BOOST_AUTO_TEST_CASE(no_bound_is_above_the_best_schedule) {
  constexpr unsigned kProblems = tests::tries(1500);
  unsigned tight = 0;
  unsigned iterated_gains = 0;
  unsigned staged_gains = 0;
  for (unsigned seed = 0; seed < kProblems; ++seed) {
    BOOST_TEST_CONTEXT("seed " << seed) {
      const BoundProblem problem = random_problem(seed);
      const auto bounds = lower_bounds(problem);
      const double best = best_makespan(problem);
      if (best == kCannotRun) {
        BOOST_TEST_REQUIRE(bounds.iterated_s == kCannotRun);
        continue;
      }
      BOOST_TEST_REQUIRE((bounds.area_s <= best));
      BOOST_TEST_REQUIRE((bounds.critical_path_s <= best));
      BOOST_TEST_REQUIRE((bounds.iterated_s <= best));
      BOOST_TEST_REQUIRE((bounds.staged_s <= best));
      BOOST_TEST_REQUIRE((bounds.staged_s >= bounds.iterated_s));
      BOOST_TEST_REQUIRE((bounds.iterated_s >= std::max(bounds.area_s, bounds.critical_path_s)));
      BOOST_TEST_REQUIRE((bounds.staged_s > 0));
      tight += bounds.staged_s > best * (1 - 1e-9);
      staged_gains += bounds.staged_s > bounds.iterated_s * (1 + 1e-6);
      iterated_gains += bounds.iterated_s > std::max(bounds.area_s, bounds.critical_path_s) * (1 + 1e-6);
    }
  }
  // Trivial bounds would also pass the checks above, so the test counts how often the bounds are tight.
  BOOST_TEST_MESSAGE(tight << " of " << kProblems << " bounds are reached, " << iterated_gains << " gain by iterating, "
                           << staged_gains << " by stages");
  BOOST_TEST(tight > kProblems / 5);
  BOOST_TEST(iterated_gains > kProblems / 100);
  BOOST_TEST(staged_gains > kProblems / 60);
}

// The kernel times are those of a machine with two kinds of GPU, in seconds. 40 x 40 tiles are 11,480 tasks.
BOOST_AUTO_TEST_CASE(a_large_graph_takes_less_than_a_second) {
  const BoundProblem problem{
      cholesky(40), 4,
      machine_of({{6e-3, 8e-3, 9e-3}, {13e-3, 1.8e-3, 2e-3}, {13e-3, 0.7e-3, 1e-3}, {25e-3, 0.9e-3, 1.3e-3}},
                 {9, 2, 1})};
  const auto start = std::chrono::steady_clock::now();
  const auto bounds = lower_bounds(problem);
  const double taken_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  BOOST_TEST_MESSAGE(problem.tasks.size() << " tasks: " << taken_s << " s; area " << bounds.area_s
                                          << " s, critical path " << bounds.critical_path_s << " s, iterated "
                                          << bounds.iterated_s << " s, staged " << bounds.staged_s << " s");
  BOOST_TEST(bounds.critical_path_s > 0.0);
  BOOST_TEST(bounds.staged_s >= bounds.area_s);
  // The limit is far above the usual time, because the machine may be busy and the build may be instrumented.
  BOOST_TEST(taken_s < 5.0);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace troupe::apps
