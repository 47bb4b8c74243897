#include <boost/test/unit_test.hpp>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "actors/scheduler/policies/dada.hpp"
#include "actors/scheduler/policies/dual_approximation.hpp"
#include "actors/scheduler/policies/heteroprio.hpp"
#include "actors/scheduler/policies/homeward.hpp"
#include "actors/scheduler/policies/outlook.hpp"
#include "actors/scheduler/policies/speedup.hpp"
#include "tests/actors/scheduler/hand_made_run.hpp"

// Tests every policy on machines where some cores form clusters, of one size or of several sizes.
namespace troupe::scheduler {

namespace clusters {

using tests::HandMadeMachine;
using tests::HandMadeRun;
using Placement = std::map<std::uint64_t, std::uint32_t>;
constexpr int kNever = HandMadeMachine::kNever;

/// Two single cores, a cluster of four cores and a GPU. The cluster is the last of the CPU workers, but no policy may
/// depend on this order.
enum : std::uint32_t { single, other_single, cluster, gpu };
struct Mixed : HandMadeMachine {
  Mixed() : HandMadeMachine(3, 1) {}
  /// Returns a task with these times on a single core, the cluster and the GPU.
  ReadyTask mixed(int single_us, int cluster_us, int gpu_us) {
    return task_on({single_us, single_us, cluster_us, gpu_us});
  }
};

std::unique_ptr<PlacingPolicy> made(const std::string& specification) {
  return std::move(make_policy(specification, Nearness(64), true).value_or_throw().placing);
}

/// The times in microseconds of a double-precision gemm of tile size 960 on the machine sirocco-double.
constexpr int kOne = 48530;
constexpr int kTen = 6246;
constexpr int kGpu = 1685;

HandMadeRun gemms(const std::string& policy, int cores, int us_on_each, int count = 28) {
  std::vector<int> us_on(static_cast<std::size_t>(cores), us_on_each);
  us_on.push_back(kGpu);
  const auto chosen = made(policy);
  return tests::run_alike(*chosen, cores, 1, us_on, count);
}
int on_cores(const HandMadeRun& run) { return std::accumulate(run.tasks.begin(), run.tasks.end() - 1, 0); }

}  // namespace clusters

BOOST_AUTO_TEST_SUITE(clusters)

// The example of section 5 of Cojean et al.: "if 28 independent dgemm of size 960 are submitted on computer of 10 cores
// and a GPU, the Chameleon scheduler assigns all the tasks to the GPU whereas pt-Chameleon assigns 6 tasks to the 10
// core cluster and 22 tasks to GPUs".
BOOST_AUTO_TEST_CASE(of_28_gemms_single_cores_get_none_and_a_cluster_of_ten_gets_six) {
  for (const char* policy : {"mct", "heft", "heft-rank", "heteroprio", "homeward"}) {
    BOOST_TEST_CONTEXT(policy) {
      for (const int cores : {10, 20}) {
        const HandMadeRun alone = gemms(policy, cores, kOne);
        BOOST_TEST(on_cores(alone) == 0);
        BOOST_TEST(alone.tasks.back() == 28);
        BOOST_TEST(alone.makespan_us == 28 * kGpu);
      }
      const HandMadeRun together = gemms(policy, 1, kTen);
      BOOST_TEST(together.tasks == (std::vector<int>{6, 22}), boost::test_tools::per_element());
      BOOST_TEST(together.makespan_us == 6 * kTen);
    }
  }
}

// Two clusters together are twice as fast as one, so they get more tasks: five each in the best schedule.
BOOST_AUTO_TEST_CASE(of_28_gemms_two_clusters_of_ten_get_five_each) {
  for (const char* policy : {"mct", "heft", "heft-rank", "heteroprio", "homeward"}) {
    BOOST_TEST_CONTEXT(policy) {
      const HandMadeRun run = gemms(policy, 2, kTen);
      BOOST_TEST(run.tasks == (std::vector<int>{5, 5, 18}), boost::test_tools::per_element());
      BOOST_TEST(run.makespan_us == 5 * kTen);
    }
  }
}

BOOST_AUTO_TEST_CASE(dada_gives_clusters_work_that_single_cores_do_not_get) {
  for (const char* policy : {"dada:alpha=0", "dada:alpha=0.5"}) {
    BOOST_TEST_CONTEXT(policy) {
      const HandMadeRun alone = gemms(policy, 20, kOne);
      const HandMadeRun together = gemms(policy, 2, kTen);
      BOOST_TEST_MESSAGE(policy << ": " << on_cores(alone) << " on 20 cores, " << alone.makespan_us << " us; "
                                << on_cores(together) << " on two clusters, " << together.makespan_us << " us");
      BOOST_TEST(std::accumulate(together.tasks.begin(), together.tasks.end(), 0) == 28);
      BOOST_TEST(on_cores(alone) == 0);
      BOOST_TEST(on_cores(together) >= 6);
      // The policy only guarantees a makespan of at most twice the best one.
      BOOST_TEST(together.makespan_us < 2 * 5 * kTen);
    }
  }
}

BOOST_AUTO_TEST_CASE(earliest_finish_goes_by_each_workers_own_time) {
  for (const char* name : {"mct", "heft", "heft-rank"}) {
    Mixed machine;
    const auto policy = made(name);
    std::vector<ReadyTask> tasks;
    const SizeClassId gemm = machine.size_class_on({100, 100, 30, 12});
    for (int i = 0; i < 11; ++i) tasks.push_back(machine.of_class(gemm));
    // Tasks end on the GPU at 12, 24, …, 96 us and on the cluster at 30, 60 and 90 us. A single core would need 100 us.
    std::vector<int> placed = machine.place(*policy, tasks);
    BOOST_TEST_CONTEXT(name) {
      BOOST_TEST(std::ranges::count(placed, int{cluster}) == 3);
      BOOST_TEST(std::ranges::count(placed, int{gpu}) == 8);
    }
    // The GPU is busy. After three tasks on the cluster (90 us), single cores end the next tasks earliest, at 100 us.
    machine.load(gpu, 1000);
    placed = machine.place(*policy, std::vector<ReadyTask>(tasks.begin(), tasks.begin() + 5));
    BOOST_TEST(placed == (std::vector<int>{cluster, cluster, cluster, single, other_single}),
               boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_CASE(speed_ups_are_those_of_the_fastest_cluster) {
  Mixed machine;
  BOOST_TEST(speedup(machine.mixed(100, 30, 10), machine.snapshot()) == 3.0);
  BOOST_TEST(speedup(machine.mixed(100, kNever, 10), machine.snapshot()) == 10.0);
  std::vector<const WorkerState*> cores;
  const auto ids = [&] {
    std::vector<std::uint32_t> found;
    for (const WorkerState* core : cores) found.push_back(core->id.value());
    return found;
  };
  fastest_cores_first(machine.mixed(100, 30, 10), machine.snapshot(), cores);
  BOOST_TEST((ids() == std::vector<std::uint32_t>{cluster, single, other_single}));
  fastest_cores_first(machine.mixed(100, 100, 10), machine.snapshot(), cores);
  BOOST_TEST((ids() == std::vector<std::uint32_t>{single, other_single, cluster}));
}

BOOST_AUTO_TEST_CASE(the_outlook_adds_up_what_each_worker_does_in_a_second) {
  Mixed machine;
  const SizeClassId gemm = machine.size_class_on({100, 100, 25, 10});
  // In 100 us each single core runs one task, the cluster runs four and the GPU ten, which makes sixteen.
  machine.predictions.left = {16};
  Outlook outlook;
  outlook.look(machine.snapshot());
  BOOST_TEST(outlook.rest_s() == 100e-6, boost::test_tools::tolerance(1e-9));
  // The three CPU workers together run six tasks in 100 us, so a worker of mean speed takes 50 us, five times as long
  // as the GPU.
  BOOST_TEST(outlook.speedup(gemm) == 5.0, boost::test_tools::tolerance(1e-9));
  machine.predictions.left = {32};
  outlook.look(machine.snapshot());
  BOOST_TEST(outlook.rest_s() == 200e-6, boost::test_tools::tolerance(1e-9));
}

BOOST_AUTO_TEST_CASE(dada_gives_small_cores_nothing_that_takes_longer_than_the_guess) {
  // There is no GPU. The cluster ends all four tasks at 100 us, before a single core ends one at 200 us.
  DualApproximationRound round;
  round.workers.resize(3);
  round.resize(4);
  const std::vector<int> us_on{200, 200, 25};
  for (std::size_t i = 0; i < round.execution.size(); ++i) round.execution[i] = std::chrono::microseconds(us_on[i % 3]);
  DualApproximation search(0);
  search.solve(round);
  BOOST_TEST(search.placement() == (std::vector<std::uint32_t>(4, cluster)), boost::test_tools::per_element());
  // The cluster is loaded. If the guess is shorter than a task on a single core, no task goes to a single core, even if
  // the task would end earlier there.
  round.workers[cluster].load = round.workers[cluster].free = std::chrono::microseconds(190);
  static_cast<void>(search.fits(round, std::chrono::microseconds(150)));
  for (const std::uint32_t worker : search.last_guess()) BOOST_TEST(worker == cluster);
  static_cast<void>(search.fits(round, std::chrono::microseconds(200)));
  BOOST_TEST(std::ranges::count(search.last_guess(), std::uint32_t{single}) == 1);
}

BOOST_AUTO_TEST_CASE(dada_keeps_its_guess_with_mixed_cores) {
  Mixed machine;
  const auto policy = dada({.alpha = 0});
  std::vector<ReadyTask> tasks;
  const SizeClassId gemm = machine.size_class_on({100, 100, 25, 10});
  for (int i = 0; i < 64; ++i) tasks.push_back(machine.of_class(gemm));
  std::vector<int> busy_us(4);
  const std::vector<int> us_on{100, 100, 25, 10};
  for (const int worker : machine.place(*policy, tasks)) {
    BOOST_TEST_REQUIRE(worker >= 0);
    busy_us[static_cast<std::size_t>(worker)] += us_on[static_cast<std::size_t>(worker)];
  }
  // The best schedule takes 400 us, and the policy guarantees twice its guess. The guess may be slightly above 400 us.
  BOOST_TEST(*std::ranges::max_element(busy_us) <= 2 * 410);
  // Every worker gets a task.
  for (const int us : busy_us) BOOST_TEST(us > 0);
}

BOOST_AUTO_TEST_CASE(heteroprio_serves_the_fastest_idle_core_first) {
  Mixed machine;
  const auto policy = heteroprio({.ahead = 0});
  machine.load(gpu, 1000);
  const ReadyTask panel = machine.mixed(100, 30, 60);
  (void)machine.place(*policy, {panel});
  BOOST_TEST((machine.place_kept(*policy) == Placement{{panel.id.value(), cluster}}));
}

BOOST_AUTO_TEST_CASE(heteroprio_leaves_to_the_gpu_what_a_single_core_would_end_later) {
  Mixed machine;
  const auto policy = heteroprio({.ahead = 0});
  // The GPU would end the two tasks at 60 and 70 us, before a single core (100 us) and after the cluster (30 us).
  machine.load(gpu, 50);
  const SizeClassId gemm = machine.size_class_on({100, 100, 30, 10});
  const ReadyTask first = machine.of_class(gemm);
  const ReadyTask second = machine.of_class(gemm);
  (void)machine.place(*policy, {first, second});
  const Placement placed = machine.place_kept(*policy);
  BOOST_TEST(placed.size() == 1U);
  for (const auto& [task, worker] : placed) BOOST_TEST(worker == cluster);
}

/// Sets the task's upward rank in microseconds. The rank is the task's own time on the fastest worker plus the time of
/// the longest chain of tasks after it.
ReadyTask ranked(ReadyTask task, int rank_us) {
  task.upward_rank_s = rank_us * 1e-6;
  return task;
}

BOOST_AUTO_TEST_CASE(homeward_gives_what_is_on_the_longest_chain_to_the_cluster) {
  Mixed machine;
  const auto policy = homeward();
  // The panel is fastest on the cluster, and all remaining tasks wait for it.
  const ReadyTask panel = ranked(machine.mixed(110, 20, 60), 1000);
  machine.predictions.left = {1};
  (void)machine.place(*policy, {panel});
  BOOST_TEST((machine.place_kept(*policy) == Placement{{panel.id.value(), cluster}}));
}

BOOST_AUTO_TEST_CASE(homeward_measures_delays_by_kernels_on_the_fastest_worker) {
  Mixed machine;
  const SizeClassId panel = machine.size_class_on({110, 110, 20, 60});
  machine.predictions.left = {1};
  Outlook outlook;
  outlook.look(machine.snapshot());
  // The unit for delays is the time on the fastest worker, the cluster: 20 us. A core of mean speed would take 44 us.
  BOOST_TEST(outlook.kernel_s() == 20e-6, boost::test_tools::tolerance(1e-9));
  // The GPU has the data, but would end the panel 35 us later than the cluster.
  machine.data_on(1, {1});
  const auto policy = homeward();
  const ReadyTask task = ranked(machine.of_class(panel, {machine.use(1, AccessMode::read_write, 5000)}), 20);
  (void)machine.place(*policy, {task});
  BOOST_TEST((machine.place_kept(*policy) == Placement{{task.id.value(), cluster}}));
}

BOOST_AUTO_TEST_CASE(homeward_feeds_the_fastest_idle_core_first) {
  Mixed machine;
  const auto policy = homeward();
  machine.load(gpu, 300, 2);
  const SizeClassId gemm = machine.size_class_on({400, 400, 130, 10});
  machine.predictions.left = {400};
  // The GPU would end the task at 310 us. The cluster would end it earlier (130 us), a single core later (400 us).
  const ReadyTask task = ranked(machine.of_class(gemm), 10);
  (void)machine.place(*policy, {task});
  BOOST_TEST((machine.place_kept(*policy) == Placement{{task.id.value(), cluster}}));
}

BOOST_AUTO_TEST_CASE(homeward_measures_slack_by_the_fastest_worker_of_all) {
  for (const int more_us : {40, -10}) {
    Mixed machine;
    const auto policy = homeward();
    // The GPU and the cluster are busy. The GPU would end the panel earlier than the cluster would.
    machine.load(gpu, 60, 2).load(cluster, 150, 1);
    const ReadyTask panel = machine.mixed(190, 20, 60);
    static_cast<void>(machine.size_class_on({100, 100, 25, 10}));
    machine.predictions.left = {1, 159};
    Outlook outlook;
    outlook.look(machine.snapshot());
    // The policy may use 0.8 of the remaining time. A single core uses 190 us of it. The chain after the panel takes
    // the panel's rank less 20 us, the panel's time on the cluster, which is the fastest worker. If the policy
    // subtracted the GPU's 60 us instead, it would accept a chain that is up to 40 us too long.
    const int limit_us = static_cast<int>(0.8e6 * outlook.rest_s()) - 190;
    (void)machine.place(*policy, {ranked(panel, limit_us + more_us)});
    const Placement placed = machine.place_kept(*policy);
    BOOST_TEST(placed.contains(panel.id.value()) == (more_us < 0));
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::scheduler
