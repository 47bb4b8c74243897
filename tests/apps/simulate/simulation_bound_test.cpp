#include "apps/simulate/simulation_bound.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "tests/support/known_machine.hpp"
#include "tests/support/tries.hpp"
#include "troupe/simulation_options.hpp"

namespace troupe::apps {

BOOST_AUTO_TEST_SUITE(simulation_bounds)

namespace {

SimulatedRun run_of(linalg::Application application, std::int64_t tiles, const std::vector<int>& gpus) {
  SimulatedRun run;
  run.application = application;
  run.n = tiles * 512;
  run.tile = 512;
  run.simulation.machine = tests::known_machine("idgraf-double");
  run.simulation.gpus = gpus;
  return run;
}

CoreWorkers cores_of(const SimulatedRun& run) {
  const int cores = run.simulation.cores > 0
                        ? run.simulation.cores
                        : run.simulation.machine.cores - static_cast<int>(run.simulation.gpus.size());
  return CoreWorkers(static_cast<std::size_t>(cores), 1);
}

double bytes_of(const FactorizationOutcome& outcome) {
  return static_cast<double>(outcome.report.transfers.total().count);
}

double bound_bytes_of(const FactorizationGraph& graph, const SimulatedRun& run, double makespan_s) {
  return static_cast<double>(bound_bytes(graph, run.simulation, cores_of(run), makespan_s).count);
}

/// Checks that the run takes at least the time, and copies at least the bytes, of the lower bounds. Returns the lower
/// bound for the bytes.
double check_bounds(const FactorizationGraph& graph, const SimulatedRun& run) {
  const FactorizationOutcome outcome = simulate(run);
  const double time = bound_seconds(graph, run.simulation, cores_of(run));
  const double bytes = bound_bytes_of(graph, run, outcome.seconds);
  BOOST_TEST_CONTEXT(to_string(run.application)
                     << ", n = " << run.n << ", " << run.simulation.gpus.size() << " GPUs, " << run.policy) {
    BOOST_TEST(time > 0);
    BOOST_TEST(outcome.seconds >= time);
    BOOST_TEST(bytes_of(outcome) >= bytes);
  }
  return bytes;
}

BOOST_AUTO_TEST_CASE(no_policy_passes_them) {
  int bytes_bounded = 0;
  for (const linalg::Application application :
       {linalg::Application::cholesky, linalg::Application::lu, linalg::Application::qr}) {
    for (const std::int64_t tiles : {1, 2, 5, tests::kSanitized ? 3 : 10}) {
      const auto graph = record_graph(run_of(application, tiles, {0})).value();
      for (const std::vector<int>& gpus : {std::vector<int>{}, {0}, {0, 4, 2}, {0, 1, 2, 3, 4, 5, 6, 7}}) {
        for (const char* policy : {"eager", "lws", "mct", "heft", "dada:alpha=1", "dada:alpha=0.5,cp", "heteroprio"}) {
          SimulatedRun run = run_of(application, tiles, gpus);
          run.policy = policy;
          bytes_bounded += check_bounds(graph, run) > 0 ? 1 : 0;
        }
      }
    }
  }
  // Many of the bounds for bytes must be above 0, because trivial bounds would also pass.
  BOOST_TEST(bytes_bounded > (tests::kSanitized ? 50 : 100));
}

BOOST_AUTO_TEST_CASE(no_assumption_passes_them) {
  const std::int64_t tiles = tests::kSanitized ? 4 : 9;
  const auto change = [](int variant, SimulationOptions& options) {
    switch (variant) {
      case 0: options.accelerators.gpu_memory = Bytes{8 * 512 * 512 * 8}; break;
      case 1: options.accelerators.kernel_overhead = options.copies.overhead = std::chrono::microseconds(200); break;
      case 2: options.accelerators.ahead.gpu = 20; break;
      case 3: options.copies.write_back_finished = true; break;
      case 4: options.cores = 1; break;
      default: options.knowledge.model = SimulationOptions::Model::learned;
    }
  };
  for (const linalg::Application application :
       {linalg::Application::cholesky, linalg::Application::lu, linalg::Application::qr}) {
    const auto graph = record_graph(run_of(application, tiles, {0})).value();
    for (int variant = 0; variant < 6; ++variant) {
      for (const char* policy : {"eager", "heft", "dada:alpha=0.5,cp"}) {
        SimulatedRun run = run_of(application, tiles, {0, 1, 4});
        run.policy = policy;
        change(variant, run.simulation);
        BOOST_TEST_CONTEXT("assumption " << variant) { check_bounds(graph, run); }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(edges_of_the_matrix_with_smaller_tiles_count) {
  for (const linalg::Application application :
       {linalg::Application::cholesky, linalg::Application::lu, linalg::Application::qr}) {
    SimulatedRun run = run_of(application, 8, {0, 4});
    run.n += 77;
    BOOST_TEST(check_bounds(record_graph(run).value(), run) > 0);
  }
}

/// A single worker runs all tasks one after the other, so its time is equal to the bound. The bound must use the exact
/// time of every task, although LU's two triangular solves have the same codelet name. With noise, the exact time is
/// the one that this run drew.
BOOST_AUTO_TEST_CASE(a_single_worker_reaches_them) {
  for (const linalg::Application application :
       {linalg::Application::cholesky, linalg::Application::lu, linalg::Application::qr}) {
    for (const bool noise : {false, true}) {
      SimulatedRun run = run_of(application, 5, {});
      run.n -= 100;
      run.simulation.machine.cores = 1;
      run.simulation.noise = noise;
      run.simulation.seed = 77;
      run.policy = "eager";
      const auto graph = record_graph(run).value();
      BOOST_TEST(bound_seconds(graph, run.simulation, {1}) == simulate(run).seconds,
                 boost::test_tools::tolerance(1e-9));
      run.simulation.gpus = {3};
      run.policy = "heft";
      run.simulation.accelerators.kernel_overhead = std::chrono::microseconds(9);
      const FactorizationOutcome outcome = simulate(run);
      BOOST_TEST(bound_seconds(graph, run.simulation, {}) == seconds(outcome.report.workers.front().time.busy),
                 boost::test_tools::tolerance(1e-9));
    }
  }
}

BOOST_AUTO_TEST_CASE(fewer_bytes_have_to_move_where_there_is_more_time) {
  SimulatedRun run = run_of(linalg::Application::cholesky, 12, {0, 1, 2});
  const auto graph = record_graph(run).value();
  const double least = bound_seconds(graph, run.simulation, cores_of(run));
  double before = bound_bytes_of(graph, run, least);
  for (const double factor : {1.2, 2.0, 3.0, 5.0}) {
    const double now = bound_bytes_of(graph, run, factor * least);
    BOOST_TEST(now <= before);
    before = now;
  }
  BOOST_TEST(bound_bytes_of(graph, run, least) > 0);
  // The cores have time for all tasks, so all data may stay in host memory.
  BOOST_TEST(bound_bytes_of(graph, run, 100 * least) == 0);
}

BOOST_AUTO_TEST_CASE(without_cores_all_tiles_must_move) {
  SimulatedRun run = run_of(linalg::Application::cholesky, 6, {0});
  const auto graph = record_graph(run).value();
  BOOST_TEST(static_cast<double>(bound_bytes(graph, run.simulation, {}, 1000).count) == 21.0 * 512 * 512 * 8,
             boost::test_tools::tolerance(1e-5));
}

BOOST_AUTO_TEST_CASE(a_graph_of_more_than_a_million_tasks_is_not_looked_at) {
  SimulatedRun run = run_of(linalg::Application::cholesky, 1000, {0});
  BOOST_TEST(!record_graph(run).has_value());
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::apps
