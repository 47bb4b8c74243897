#include "actors/scheduler/policies/dual_approximation.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <vector>

#include "proto/random.hpp"

namespace troupe::scheduler {

BOOST_AUTO_TEST_SUITE(dual_approximation)

namespace {

using Round = DualApproximationRound;
using Workers = std::vector<std::uint32_t>;
constexpr Duration kNever = Round::kNever;
const auto kPerElement = boost::test_tools::per_element();

Round machine(int cores, int gpus) {
  Round round;
  for (int w = 0; w < cores + gpus; ++w) {
    round.workers.push_back({w >= cores, {}, {}, {}});
  }
  return round;
}

/// Adds a task with its times on a core and on a GPU. A time of -1 says that this kind of device cannot run the task.
void add(Round& round, int cpu_us, int gpu_us) {
  const std::size_t row = round.execution.size();
  round.resize(round.tasks + 1);
  for (std::size_t w = 0; w < round.workers.size(); ++w) {
    const int time = round.workers[w].accelerator ? gpu_us : cpu_us;
    round.execution[row + w] = time < 0 ? kNever : Duration(std::chrono::microseconds(time));
  }
}

Duration makespan(const Round& round, const Workers& placement) {
  std::vector<Duration> load;
  for (const auto& worker : round.workers) load.push_back(worker.load);
  for (std::size_t t = 0; t < placement.size(); ++t) {
    load[placement[t]] += round.execution[t * load.size() + placement[t]];
  }
  return *std::max_element(load.begin(), load.end());
}

/// Finds the best makespan by trying all placements.
Duration best_makespan(const Round& round) {
  Duration best = Duration::max();
  Workers placement(round.tasks, 0);
  while (true) {
    bool possible = true;
    for (std::size_t t = 0; t < round.tasks; ++t) {
      possible = possible && round.execution[t * round.workers.size() + placement[t]] != kNever;
    }
    if (possible) best = std::min(best, makespan(round, placement));
    std::size_t digit = 0;
    while (digit < round.tasks && ++placement[digit] == round.workers.size()) placement[digit++] = 0;
    if (digit == round.tasks) return best;
  }
}

Round random_round(std::uint64_t seed, bool with_affinity) {
  Random random(seed);
  Round round = machine(static_cast<int>(random.below(3)), static_cast<int>(random.below(3)));
  if (round.workers.empty()) round = machine(1, 1);
  const bool both = round.workers.front().accelerator != round.workers.back().accelerator;
  const auto tasks = 1 + random.below(6);
  for (std::uint64_t t = 0; t < tasks; ++t) {
    const int cpu = static_cast<int>(random.below(40));
    const int gpu = static_cast<int>(random.below(random.below(2) == 0 ? 4 : 40));
    const auto never = both ? random.below(8) : 7;
    add(round, never == 0 ? -1 : cpu, never == 1 ? -1 : gpu);
  }
  if (random.below(2) == 0) {
    for (auto& worker : round.workers) worker.load = std::chrono::microseconds(random.below(50));
  }
  if (!with_affinity) return round;
  for (double& score : round.affinity) score = static_cast<double>(random.below(3));
  return round;
}

BOOST_AUTO_TEST_CASE(gpus_are_filled_by_decreasing_ratio_until_they_overstep_the_guess_and_cores_get_the_rest) {
  Round round = machine(2, 1);
  add(round, 10, 10);
  add(round, 60, 2);
  add(round, 10, 10);
  add(round, 60, 2);
  DualApproximation search(0);
  search.solve(round);
  BOOST_TEST(search.placement() == (Workers{2, 2, 0, 2}), kPerElement);
}

BOOST_AUTO_TEST_CASE(the_guess_is_within_its_precision_of_the_smallest_that_fits) {
  // One core has two tasks of 10 us, so its load is 20 us. A load of up to twice the guess is allowed, so the smallest
  // guess that the search accepts is 10 us.
  Round round = machine(1, 0);
  add(round, 10, -1);
  add(round, 10, -1);
  DualApproximation search(0);
  search.solve(round);
  BOOST_TEST(search.lambda().count() >= 10'000 - 1);
  BOOST_TEST(search.lambda().count() <= 10'000 * (1 + 2 * DualApproximation::kPrecision));
  // With alpha = 1 the load may be up to three times the guess, but no single task may be longer than the guess.
  DualApproximation with_affinity(1);
  with_affinity.solve(round);
  BOOST_TEST(with_affinity.lambda().count() >= 10'000 - 1);
  BOOST_TEST(with_affinity.lambda().count() <= 10'000 * (1 + 2 * DualApproximation::kPrecision));
}

BOOST_AUTO_TEST_CASE(a_guess_shorter_than_a_task_on_both_kinds_is_rejected) {
  Round round = machine(1, 1);
  add(round, 10, 8);
  DualApproximation search(0);
  search.solve(round);
  BOOST_TEST(!search.fits(round, std::chrono::microseconds(7)));
  BOOST_TEST(search.fits(round, std::chrono::microseconds(9)));
}

BOOST_AUTO_TEST_CASE(without_affinity_it_is_at_most_twice_as_long_as_the_best) {
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    const Round round = random_round(seed, false);
    DualApproximation search(0);
    search.solve(round);
    const double best = seconds(best_makespan(round));
    const double bound = 2 * (1 + 2 * DualApproximation::kPrecision) * best + 4e-9;
    BOOST_TEST(seconds(makespan(round, search.placement())) <= bound, "seed " << seed << ", best " << best);
  }
}

BOOST_AUTO_TEST_CASE(with_affinity_it_fits_into_the_guess_that_was_kept) {
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    const Round round = random_round(seed, true);
    for (const double alpha : {0.25, 0.5, 1.0}) {
      DualApproximation search(alpha);
      search.solve(round);
      const double bound = (2 + alpha) * seconds(search.lambda()) + 2e-9;
      BOOST_TEST(seconds(makespan(round, search.placement())) <= bound, "seed " << seed << ", alpha " << alpha);
    }
  }
}

BOOST_AUTO_TEST_CASE(the_affinity_phase_loads_a_worker_until_it_oversteps_alpha_times_the_guess) {
  // Two GPUs and four tasks whose data are on the first GPU.
  Round round = machine(0, 2);
  for (int t = 0; t < 4; ++t) add(round, -1, 10);
  for (std::size_t t = 0; t < 4; ++t) round.affinity[t * 2] = 1;
  const auto placed = [&](double alpha) {
    DualApproximation search(alpha);
    search.solve(round);
    BOOST_TEST(search.fits(round, std::chrono::microseconds(32)));
    return search.last_guess();
  };
  BOOST_TEST(placed(0) == (Workers{0, 1, 0, 1}), kPerElement);
  BOOST_TEST(placed(0.5) == (Workers{0, 0, 1, 1}), kPerElement);
  BOOST_TEST(placed(0.9) == (Workers{0, 0, 0, 1}), kPerElement);
  BOOST_TEST(placed(1) == (Workers{0, 0, 0, 0}), kPerElement);
}

BOOST_AUTO_TEST_CASE(what_a_worker_has_counts_in_the_affinity_phase_where_it_is_told_so) {
  Round round = machine(0, 2);
  add(round, -1, 10);
  round.affinity = {1, 0};
  round.workers[0].load = std::chrono::microseconds(20);
  DualApproximation search(0.5);
  search.solve(round);
  BOOST_TEST(search.placement() == (Workers{0}), kPerElement);
  round.workers[0].affinity_load = std::chrono::microseconds(20);
  search.solve(round);
  BOOST_TEST(search.placement() == (Workers{1}), kPerElement);
}

BOOST_AUTO_TEST_CASE(the_highest_score_is_served_first) {
  // Both tasks have their data on GPU 0, which has room for one task within the guess.
  Round round = machine(0, 2);
  add(round, -1, 10);
  add(round, -1, 10);
  round.affinity = {1, 0, 2, 0};
  DualApproximation search(0.5);
  search.solve(round);
  BOOST_TEST(search.placement() == (Workers{1, 0}), kPerElement);
}

BOOST_AUTO_TEST_CASE(nothing_follows_its_data_to_where_it_takes_longer_than_the_guess) {
  Round round = machine(1, 1);
  add(round, 30, 1);
  round.affinity = {1, 0};
  DualApproximation search(1);
  search.solve(round);
  BOOST_TEST(search.placement() == (Workers{1}), kPerElement);
}

BOOST_AUTO_TEST_CASE(of_workers_with_the_same_score_the_one_where_it_ends_first_is_taken) {
  Round round = machine(0, 3);
  add(round, -1, 10);
  round.affinity = {1, 1, 0};
  round.workers[0].load = round.workers[0].free = std::chrono::microseconds(5);
  DualApproximation search(1);
  search.solve(round);
  BOOST_TEST(search.placement() == (Workers{1}), kPerElement);
}

BOOST_AUTO_TEST_CASE(loads_that_there_are_count) {
  Round round = machine(0, 2);
  add(round, -1, 10);
  round.workers[0].load = std::chrono::microseconds(1);
  DualApproximation search(0);
  search.solve(round);
  BOOST_TEST(search.placement() == (Workers{1}), kPerElement);
  BOOST_TEST(search.lambda().count() <= 10'200);
}

BOOST_AUTO_TEST_CASE(the_guess_covers_what_workers_have_to_do_already) {
  Round round = machine(1, 1);
  add(round, 20, 10);
  round.workers[0].load = std::chrono::seconds(100);
  round.workers[1].load = std::chrono::seconds(90);
  DualApproximation search(0.5);
  search.solve(round);
  // No schedule ends before 100 s, because worker 0 is busy until then. The GPU can run the task in that time.
  BOOST_TEST(seconds(search.lambda()) >= 100);
  BOOST_TEST(seconds(search.lambda()) <= 100 * (1 + 2 * DualApproximation::kPrecision));
  BOOST_TEST(search.placement() == (Workers{1}), kPerElement);
}

BOOST_AUTO_TEST_CASE(loads_may_count_from_zero_while_tasks_go_where_they_really_end_first) {
  Round round = machine(0, 2);
  for (int t = 0; t < 2; ++t) add(round, -1, 10);
  round.workers[0].free = std::chrono::microseconds(100);
  DualApproximation search(0);
  search.solve(round);
  BOOST_TEST(search.placement() == (Workers{1, 0}), kPerElement);
  round.choose_by_free = true;
  search.solve(round);
  BOOST_TEST(search.placement() == (Workers{1, 1}), kPerElement);
  BOOST_TEST(search.lambda().count() <= 10'200);
}

BOOST_AUTO_TEST_CASE(of_workers_where_it_ends_at_the_same_time_the_one_that_is_really_free_is_taken) {
  Round round = machine(0, 3);
  add(round, -1, 10);
  round.workers[0].free = std::chrono::microseconds(2);
  round.workers[1].free = std::chrono::microseconds(1);
  round.workers[2].free = std::chrono::microseconds(1);
  DualApproximation search(0);
  search.solve(round);
  BOOST_TEST(search.placement() == (Workers{1}), kPerElement);
}

BOOST_AUTO_TEST_CASE(a_task_waits_for_its_data) {
  Round round = machine(0, 2);
  add(round, -1, 10);
  round.data_at = {std::chrono::microseconds(4), Duration::zero()};
  DualApproximation search(0);
  search.solve(round);
  BOOST_TEST(search.placement() == (Workers{1}), kPerElement);
  round.workers[1].load = std::chrono::microseconds(5);
  search.solve(round);
  BOOST_TEST(search.placement() == (Workers{0}), kPerElement);
}

BOOST_AUTO_TEST_CASE(tasks_that_take_no_time_are_placed) {
  for (const double alpha : {0.0, 1.0}) {
    Round round = machine(1, 1);
    add(round, 0, 0);
    add(round, -1, 0);
    add(round, 0, -1);
    DualApproximation search(alpha);
    search.solve(round);
    BOOST_TEST(search.placement().at(0) < 2U);
    BOOST_TEST(search.placement().at(1) == 1U);
    BOOST_TEST(search.placement().at(2) == 0U);
  }
}

BOOST_AUTO_TEST_CASE(a_task_that_nobody_runs_stays_nowhere_and_the_others_are_placed) {
  Round round = machine(1, 1);
  add(round, -1, -1);
  add(round, 10, 1);
  DualApproximation search(0.5);
  search.solve(round);
  BOOST_TEST(search.placement() == (Workers{DualApproximation::kNowhere, 1}), kPerElement);
}

BOOST_AUTO_TEST_CASE(an_empty_round_is_solved) {
  Round round = machine(1, 1);
  DualApproximation search(0.5);
  search.solve(round);
  BOOST_TEST(search.placement().empty());
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::scheduler
