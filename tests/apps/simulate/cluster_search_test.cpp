#include "apps/simulate/cluster_search.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "troupe/machine.hpp"

namespace troupe::apps {

BOOST_AUTO_TEST_SUITE(cluster_search)

namespace {

using platform::KernelTime;
using platform::KernelTimes;
using platform::TileTimes;

/// Returns a run on eight cores. A cluster of eight cores takes `loss` / 8 of the time that one core takes.
SimulatedRun run_on_eight_cores(double loss, std::int64_t tiles) {
  SimulatedRun run;
  run.tile = 100;
  run.n = tiles * run.tile;
  run.policy = "heft";
  run.simulation.machine.name = "eight";
  run.simulation.machine.cores = 8;
  run.simulation.machine.sockets = 1;
  run.simulation.machine.routes.resize(1);
  for (const char* kernel : {"potrf", "trsm", "syrk", "gemm"}) {
    const double flops = std::string(kernel) == "gemm" ? 2e6 : std::string(kernel) == "potrf" ? 1e6 / 3 : 1e6;
    TileTimes times{100, flops, KernelTime{1000, 50}, {}, {{8, KernelTime{1000 * loss / 8, 50 * loss / 8}}}};
    run.simulation.machine.kernels.emplace_back("cholesky", kernel, "double", std::vector<TileTimes>{times}, 0);
  }
  return run;
}

std::vector<std::string> names_of(const ClusterChoice& choice) {
  std::vector<std::string> names;
  for (const TriedClusters& one : choice.tried) names.push_back(one.clusters.workers);
  return names;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_chain_wants_the_largest_cluster) {
  // A Cholesky factorization of 2 x 2 tiles is a chain of four tasks.
  const ClusterChoice choice = choose_described_clusters(run_on_eight_cores(1.2, 2), {});
  BOOST_TEST(choice.best().workers == "1x8");
  // The kernels' numbers of operations also have lower-order terms, so the time only approximates this value.
  BOOST_TEST(choice.tried.front().seconds == 4 * 1.2e-3 / 8, boost::test_tools::tolerance(0.01));
  BOOST_TEST(choice.remark.empty());
  BOOST_TEST(clusters_text(choice).starts_with("1x8: 60"));
}

BOOST_AUTO_TEST_CASE(many_tasks_want_single_cores_where_teams_lose) {
  const ClusterChoice choice = choose_described_clusters(run_on_eight_cores(3, 30), {});
  BOOST_TEST(choice.best().specification.empty());
  BOOST_TEST(choice.best().workers == "8x1");
}

BOOST_AUTO_TEST_CASE(single_cores_are_taken_where_clusters_gain_nothing) {
  // There is a single task, and the team of eight cores is hardly faster than one core.
  const ClusterChoice choice = choose_described_clusters(run_on_eight_cores(7.99, 1), {});
  BOOST_TEST(choice.best().workers == "8x1");
}

BOOST_AUTO_TEST_CASE(a_search_that_may_not_take_long_begins_with_smaller_matrices) {
  const SimulatedRun run = run_on_eight_cores(1.2, 24);
  const ClusterChoice full = choose_described_clusters(run, {.most_seconds = 100});
  BOOST_TEST(std::ranges::all_of(full.tried, [](const TriedClusters& one) { return one.n == 2400; }));
  const ClusterChoice staged = choose_described_clusters(run, {.most_seconds = 0.045});
  BOOST_TEST(staged.tried.size() == full.tried.size());
  BOOST_TEST(staged.tried.back().n < staged.tried.front().n);
  BOOST_TEST(staged.tried.front().n == 2400);
  // The choice must be one of the four best of the full search.
  const auto names = names_of(full);
  BOOST_TEST(std::distance(names.begin(), std::ranges::find(names, staged.best().workers)) < 4);
  const ClusterChoice least = choose_described_clusters(run, {.most_seconds = 1e-9});
  BOOST_TEST(least.tried.front().n == 400);
  BOOST_TEST(clusters_text(least).find(" for n = 400, the best of ") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(with_noise_those_near_the_best_are_simulated_several_times) {
  SimulatedRun run = run_on_eight_cores(1.2, 6);
  run.simulation.noise = true;
  const ClusterChoice choice = choose_described_clusters(run, {});
  BOOST_TEST(choice.tried.front().runs > 1);
  BOOST_TEST(choice.tried.back().runs == 1);
  // The search ignores the noise of the run, so it gives the same result each time.
  const ClusterChoice again = choose_described_clusters(run, {.jobs = 3});
  BOOST_TEST(names_of(again) == names_of(choice), boost::test_tools::per_element());
  BOOST_TEST(again.tried.front().seconds == choice.tried.front().seconds);
}

BOOST_AUTO_TEST_CASE(without_times_on_clusters_there_is_nothing_to_choose_from) {
  SimulatedRun run = run_on_eight_cores(1, 4);
  const TileTimes alone{100, 2e6, KernelTime{1000, 0}, {}, {}};
  run.simulation.machine.kernels.back() = KernelTimes("cholesky", "gemm", "double", std::vector<TileTimes>{alone}, 0);
  const ClusterChoice choice = choose_described_clusters(run, {});
  BOOST_TEST(choice.tried.size() == 1U);
  BOOST_TEST(choice.best().workers == "8x1");
  BOOST_TEST(choice.remark.find("no times for kernel 'cholesky/gemm/double' on clusters") != std::string::npos);
  BOOST_TEST(choice.remark.find("run it on single cores") == std::string::npos);
  // `clusters_text` must not contain the remark, because other code prints it.
  BOOST_TEST(clusters_text(choice).find("no times") == std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::apps
