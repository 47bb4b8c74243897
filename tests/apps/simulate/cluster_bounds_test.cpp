#include <boost/test/unit_test.hpp>
#include <limits>

#include "apps/simulate/simulation_bound.hpp"
#include "tests/support/known_machine.hpp"
#include "tests/support/tries.hpp"

// Tests bounds for clusters of cores, and compares them with those of Cojean et al., figure 4.
namespace troupe::apps {

BOOST_AUTO_TEST_SUITE(cluster_bounds)

namespace {

const CoreWorkers kSingle(20, 1);
const CoreWorkers kPerSocket{10, 10};

SimulatedRun cholesky(std::int64_t n, std::int64_t tile) {
  SimulatedRun run;
  run.application = linalg::Application::cholesky;
  run.n = n;
  run.tile = tile;
  run.simulation.machine = tests::known_machine("sirocco-double");
  run.simulation.gpus = {0};
  return run;
}

/// Returns the graph of a run. Every kernel counts as having a version for teams of up to `most_cores` cores.
FactorizationGraph graph_of(const SimulatedRun& run, int most_cores = std::numeric_limits<int>::max()) {
  FactorizationGraph graph = record_graph(run).value();
  for (FactorizationGraph::Kind& kind : graph.kinds) kind.most_cores = most_cores;
  return graph;
}

double gflops(const SimulatedRun& run, double seconds) {
  const auto n = static_cast<double>(run.n);
  return n * n * n / 3 / seconds * 1e-9;
}

BOOST_AUTO_TEST_CASE(clusters_raise_the_iterated_bound_of_small_matrices_and_lower_that_of_large_ones) {
  const auto difference = [](std::int64_t n) {
    const SimulatedRun run = cholesky(n, 960);
    const FactorizationGraph graph = graph_of(run);
    const double single = gflops(run, bounds_of(graph, run.simulation, kSingle).iterated_s);
    const double together = gflops(run, bounds_of(graph, run.simulation, kPerSocket).iterated_s);
    BOOST_TEST_MESSAGE("n = " << n << ": 20x1 " << single << ", 2x10 " << together << " GFlop/s");
    return together - single;
  };
  // For a matrix size of 5,000 the paper says that clusters give "a difference of performance of 600 Gflop/s". For
  // 40,000 it says that single cores are better.
  BOOST_TEST(difference(4800) > 500);
  if (!tests::kSanitized) BOOST_TEST(difference(40320) < 0);
}

BOOST_AUTO_TEST_CASE(the_area_of_clusters_is_theirs_together) {
  // The machine only runs gemm: the two clusters give 567 GFlop/s and the GPU 1050, as for 28 independent gemms.
  const SimulatedRun run = cholesky(960, 960);
  FactorizationGraph graph = graph_of(run);
  graph.kinds = {{"cholesky/gemm/double", 2.0 * 960 * 960 * 960, true, true, std::numeric_limits<int>::max()}};
  graph.tasks.assign(28, BoundTask{0, {}});
  const double area_s = bounds_of(graph, run.simulation, kPerSocket).area_s;
  BOOST_TEST(area_s == 28 / (2 / 6246e-6 + 1 / 1685e-6), boost::test_tools::tolerance(1e-6));
  // Clusters of several sizes: four single cores, one cluster of six cores and one of ten.
  const platform::KernelTimes& gemm = *run.simulation.machine.find_kernel("cholesky", "gemm", "double");
  const double six_us = gemm.cluster(6, 960).mean_us;
  const double mixed_s = bounds_of(graph, run.simulation, {1, 10, 1, 1, 6, 1}).area_s;
  BOOST_TEST(mixed_s == 28e-6 / (4 / 48530.0 + 1 / six_us + 1 / 6246.0 + 1 / 1685.0),
             boost::test_tools::tolerance(1e-6));
}

BOOST_AUTO_TEST_CASE(a_cluster_is_as_fast_as_the_cores_that_a_codelet_uses) {
  SimulatedRun run = cholesky(9600, 960);
  run.simulation.gpus = {};
  const FactorizationGraph without = graph_of(run, 1);
  BOOST_TEST(bound_seconds(without, run.simulation, {10}) == bound_seconds(without, run.simulation, {1}));
  const FactorizationGraph four = graph_of(run, 4);
  BOOST_TEST(bound_seconds(four, run.simulation, {10}) == bound_seconds(four, run.simulation, {4}));
  BOOST_TEST(bound_seconds(four, run.simulation, {10}) < bound_seconds(without, run.simulation, {1}));
  BOOST_TEST(bound_seconds(graph_of(run), run.simulation, {10}) < bound_seconds(four, run.simulation, {10}));
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::apps
