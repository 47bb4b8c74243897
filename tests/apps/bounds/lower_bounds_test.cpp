#include "apps/bounds/lower_bounds.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <cmath>
#include <random>
#include <vector>

#include "apps/bounds/linear_program.hpp"

namespace troupe::apps {
namespace {

/// The least makespan of all schedules: every order that keeps the dependencies, with every choice of devices.
class BestSchedule {
 public:
  explicit BestSchedule(const BoundProblem& problem) : problem_(problem), end_(problem.tasks.size(), -1) {
    for (std::size_t type = 0; type < problem.counts.size(); ++type) {
      for (int i = 0; i < problem.counts[type]; ++i) devices_.push_back({type, 0});
    }
  }

  double makespan() {
    search(0, 0);
    return best_;
  }

 private:
  struct Device {
    std::size_t type;
    double free_at;
  };

  void search(std::size_t placed, double makespan) {
    if (makespan >= best_) return;
    if (placed == problem_.tasks.size()) {
      best_ = makespan;
      return;
    }
    for (std::size_t task = 0; task < problem_.tasks.size(); ++task) {
      const BoundTask& description = problem_.tasks[task];
      if (end_[task] >= 0 || std::ranges::any_of(description.predecessors, [&](auto p) { return end_[p] < 0; }))
        continue;
      double ready = 0;
      for (const auto before : description.predecessors) ready = std::max(ready, end_[before]);
      for (Device& device : devices_) {
        const double time = problem_.times_s[description.kind][device.type];
        if (time == kCannotRun) continue;
        const double free_at = device.free_at;
        end_[task] = device.free_at = std::max(ready, free_at) + time;
        search(placed + 1, std::max(makespan, end_[task]));
        device.free_at = free_at;
        end_[task] = -1;
      }
    }
  }

  const BoundProblem& problem_;
  std::vector<double> end_;
  std::vector<Device> devices_;
  double best_ = kCannotRun;
};

/// Tile Cholesky with n x n tiles: potrf 0, trsm 1, syrk 2, gemm 3.
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

BoundProblem random_problem(unsigned seed) {
  std::mt19937 random(seed);
  BoundProblem problem;
  problem.kinds = 1 + random() % 3;
  for (std::size_t kind = 0; kind < problem.kinds; ++kind) {
    problem.times_s.push_back({static_cast<double>(1 + random() % 9), static_cast<double>(1 + random() % 9) / 4});
    if (random() % 6 == 0) problem.times_s.back()[random() % 2] = kCannotRun;
  }
  problem.counts = {static_cast<int>(1 + random() % 2), static_cast<int>(1 + random() % 2)};
  const auto tasks = 1 + random() % 6;
  const auto density = 1 + random() % 4;
  for (std::uint32_t task = 0; task < tasks; ++task) {
    problem.tasks.push_back({static_cast<std::uint32_t>(random() % problem.kinds), {}});
    for (std::uint32_t before = 0; before < task; ++before) {
      if (random() % density == 0) problem.tasks.back().predecessors.push_back(before);
    }
  }
  return problem;
}

BOOST_AUTO_TEST_SUITE(lower_bound, *boost::unit_test::tolerance(1e-9))

BOOST_AUTO_TEST_CASE(nothing_takes_no_time) {
  const auto bounds = lower_bounds({{}, 1, {{1.0}}, {1}});
  BOOST_TEST(bounds.area_s == 0.0);
  BOOST_TEST(bounds.critical_path_s == 0.0);
  BOOST_TEST(bounds.iterated_s == 0.0);
}

BOOST_AUTO_TEST_CASE(a_task_that_can_run_nowhere_has_no_schedule) {
  BOOST_TEST(lower_bounds({{{0, {}}}, 1, {{kCannotRun}}, {1}}).staged_s == kCannotRun);
  BOOST_TEST(lower_bounds({{{0, {}}}, 1, {{kCannotRun, 1.0}}, {1, 0}}).iterated_s == kCannotRun);
}

BOOST_AUTO_TEST_CASE(independent_tasks_fill_the_machine) {
  // A core takes 4, a GPU 1: in 4 seconds two cores do 2 tasks, and the GPU 4.
  const BoundProblem problem{std::vector<BoundTask>(6), 1, {{4.0, 1.0}}, {2, 1}};
  const auto bounds = lower_bounds(problem);
  BOOST_TEST(bounds.area_s == 4.0);
  BOOST_TEST(bounds.critical_path_s == 1.0);
  BOOST_TEST(bounds.iterated_s == 4.0);
  BOOST_TEST(BestSchedule(problem).makespan() == 4.0);
}

BOOST_AUTO_TEST_CASE(the_area_bound_gives_each_kind_to_whom_it_suits) {
  // Kind 0 is equally fast everywhere, kind 1 four times as fast on the GPU.
  BoundProblem problem{std::vector<BoundTask>(8), 2, {{1.0, 1.0}, {4.0, 1.0}}, {1, 1}};
  for (std::size_t i = 4; i < 8; ++i) problem.tasks[i].kind = 1;
  BOOST_TEST(lower_bounds(problem).area_s == 4.0);
}

BOOST_AUTO_TEST_CASE(a_chain_takes_its_fastest_times) {
  BoundProblem problem{{{0, {}}, {1, {0}}, {0, {1}}}, 2, {{2.0, 3.0}, {7.0, 5.0}}, {1, 1}};
  const auto bounds = lower_bounds(problem);
  BOOST_TEST(bounds.critical_path_s == 9.0);
  BOOST_TEST(bounds.iterated_s == 9.0);
  BOOST_TEST(BestSchedule(problem).makespan() == 9.0);
}

BOOST_AUTO_TEST_CASE(types_that_are_alike_count_as_one_and_absent_ones_not_at_all) {
  BoundProblem problem{std::vector<BoundTask>(6), 1, {{3.0, 3.0, 0.1, 3.0}}, {1, 1, 0, 1}};
  BOOST_TEST(lower_bounds(problem).area_s == 6.0);
}

// Four tasks of kind 0 in a chain, and ten of kind 1 for the GPU alone. The area bound has the core do most of kind 0;
// but then the chain takes too long.
BOOST_AUTO_TEST_CASE(the_iterated_bound_is_above_area_and_critical_path_where_they_are_at_odds) {
  BoundProblem problem{{}, 2, {{4.0, 1.0}, {kCannotRun, 1.0}}, {1, 1}};
  for (std::uint32_t i = 0; i < 4; ++i) {
    problem.tasks.push_back({0, i > 0 ? std::vector<std::uint32_t>{i - 1} : std::vector<std::uint32_t>{}});
  }
  for (int i = 0; i < 10; ++i) problem.tasks.push_back({1, {}});
  const auto bounds = lower_bounds(problem);
  // Area: x of kind 0 on the core, T = 4 x = (4 - x) + 10, so x = 2.8. The chain: 4 x + (4 - x) <= T = 14 - x, so x
  // = 2.5.
  BOOST_TEST(bounds.area_s == 11.2);
  BOOST_TEST(bounds.critical_path_s == 4.0);
  BOOST_TEST(bounds.iterated_s == 11.5);
}

// Four tasks on two devices, and a chain of three behind (or before) them all: while the chain runs, nothing else can.
BOOST_AUTO_TEST_CASE(the_staged_bound_knows_that_a_graph_ends_or_begins_with_few_tasks) {
  const BoundProblem ends{{{0, {}}, {0, {}}, {0, {}}, {0, {}}, {0, {0, 1, 2, 3}}, {0, {4}}, {0, {5}}}, 1, {{1.0}}, {2}};
  const BoundProblem begins{{{0, {}}, {0, {0}}, {0, {1}}, {0, {2}}, {0, {2}}, {0, {2}}, {0, {2}}}, 1, {{1.0}}, {2}};
  for (const BoundProblem& problem : {ends, begins}) {
    const auto bounds = lower_bounds(problem);
    BOOST_TEST(bounds.area_s == 3.5);
    BOOST_TEST(bounds.iterated_s == 4.0);
    BOOST_TEST(bounds.staged_s == 5.0);
    BOOST_TEST(BestSchedule(problem).makespan() == 5.0);
  }
}

BOOST_AUTO_TEST_CASE(no_bound_is_above_the_best_schedule) {
  int tight = 0;
  int iterated_gains = 0;
  int staged_gains = 0;
  for (unsigned seed = 0; seed < 1500; ++seed) {
    BOOST_TEST_CONTEXT("seed " << seed) {
      const BoundProblem problem = random_problem(seed);
      const auto bounds = lower_bounds(problem);
      const double best = BestSchedule(problem).makespan();
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
      tight += bounds.iterated_s > best * (1 - 1e-9);
      staged_gains += bounds.staged_s > bounds.iterated_s * (1 + 1e-6);
      iterated_gains += bounds.iterated_s > std::max(bounds.area_s, bounds.critical_path_s) * (1 + 1e-6);
    }
  }
  // Bounds that say nothing would pass the above.
  BOOST_TEST_MESSAGE(tight << " of 1500 bounds are reached, " << iterated_gains << " gain by iterating, "
                           << staged_gains << " by stages");
  BOOST_TEST(tight > 300);
  BOOST_TEST(iterated_gains > 50);
  BOOST_TEST(staged_gains > 50);
}

// Kernel times of a machine with two kinds of GPU, in seconds; 40 tile rows are 11,480 tasks.
BOOST_AUTO_TEST_CASE(a_large_graph_takes_less_than_a_second) {
  const BoundProblem problem{
      cholesky(40),
      4,
      {{6e-3, 8e-3, 9e-3}, {13e-3, 1.8e-3, 2e-3}, {13e-3, 0.7e-3, 1e-3}, {25e-3, 0.9e-3, 1.3e-3}},
      {9, 2, 1}};
  const auto start = std::chrono::steady_clock::now();
  const auto bounds = lower_bounds(problem);
  const double taken_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  BOOST_TEST_MESSAGE(problem.tasks.size() << " tasks: " << taken_s << " s; area " << bounds.area_s
                                          << " s, critical path " << bounds.critical_path_s << " s, iterated "
                                          << bounds.iterated_s << " s, staged " << bounds.staged_s << " s");
  BOOST_TEST(bounds.critical_path_s > 0.0);
  BOOST_TEST(bounds.staged_s >= bounds.area_s);
  BOOST_TEST(taken_s < 5.0);  // Far more than it takes: the machine may be busy, the build instrumented.
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace troupe::apps
