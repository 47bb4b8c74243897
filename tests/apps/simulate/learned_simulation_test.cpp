// Tests runs in virtual time in which the policies know no kernel times at first and learn them during the run.
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <map>

#include "apps/simulate/simulated_factorization.hpp"
#include "tests/support/known_machine.hpp"
#include "troupe/simulation_options.hpp"

namespace troupe::apps {

BOOST_AUTO_TEST_SUITE(learned_simulation)

namespace {

SimulatedRun cholesky_on(std::vector<int> gpus, SimulationOptions::Model model) {
  SimulatedRun run;
  run.n = 8192;
  run.tile = 512;
  run.simulation.machine = tests::known_machine("idgraf-double");
  run.simulation.gpus = std::move(gpus);
  run.simulation.knowledge.model = model;
  return run;
}

std::uint64_t predicted(const FactorizationOutcome& outcome) {
  std::uint64_t tasks = 0;
  for (const PredictionReport& of : outcome.report.predictions) tasks += of.errors.tasks;
  return tasks;
}

BOOST_AUTO_TEST_CASE(after_calibration_predictions_are_right) {
  const FactorizationOutcome outcome = simulate(cholesky_on({0, 1}, SimulationOptions::Model::learned));
  BOOST_TEST(outcome.report.predictions.size() >= 4U);
  for (const PredictionReport& of : outcome.report.predictions) {
    BOOST_TEST(of.errors.mean_relative() < 0.05, of.codelet << " on a " << to_string(of.kind));
    BOOST_TEST(of.errors.mean_predicted_s() == of.errors.mean_measured_s(), boost::test_tools::tolerance(0.05));
  }
  // Most tasks have a prediction. Tasks that were tried, or that were placed before any time was known, have none.
  BOOST_TEST(predicted(outcome) > outcome.tasks / 2);
  BOOST_TEST(predicted(outcome) < outcome.tasks);
}

BOOST_AUTO_TEST_CASE(each_kernel_is_tried_on_each_kind_of_device) {
  SimulatedRun run = cholesky_on({0, 1}, SimulationOptions::Model::learned);
  run.trace = true;
  const FactorizationOutcome outcome = simulate(run);
  std::map<std::pair<std::string, DeviceKind>, int> ran;
  for (const TraceEvent& event : outcome.trace.events) {
    ++ran[{outcome.trace.codelet_of(event), outcome.report.workers[event.worker.index()].kind}];
  }
  BOOST_TEST(ran.size() == 8U);
  for (const auto& [where, times] : ran) {
    BOOST_TEST(times >= 3, where.first << " on a " << to_string(where.second));
  }
}

BOOST_AUTO_TEST_CASE(it_ends_not_much_later_than_with_exact_times) {
  SimulatedRun learned = cholesky_on({0, 1}, SimulationOptions::Model::learned);
  SimulatedRun exact = cholesky_on({0, 1}, SimulationOptions::Model::exact);
  learned.n = exact.n = 16384;
  BOOST_TEST(simulate(learned).seconds < 1.25 * simulate(exact).seconds);
}

BOOST_AUTO_TEST_CASE(exact_times_without_noise_are_right) {
  const FactorizationOutcome outcome = simulate(cholesky_on({0, 1}, SimulationOptions::Model::exact));
  BOOST_TEST(predicted(outcome) == outcome.tasks);
  for (const PredictionReport& of : outcome.report.predictions) BOOST_TEST(of.errors.mean_relative() < 1e-3);
}

BOOST_AUTO_TEST_CASE(errors_of_models_show_in_the_report) {
  for (const auto model : {SimulationOptions::Model::exact, SimulationOptions::Model::learned}) {
    SimulatedRun run = cholesky_on({0, 1}, model);
    run.simulation.knowledge.kernel_error = 3;
    const FactorizationOutcome outcome = simulate(run);
    double most = 1;
    for (const PredictionReport& of : outcome.report.predictions) {
      const double factor = of.errors.mean_predicted_s() / of.errors.mean_measured_s();
      BOOST_TEST(factor > 0.95 / 3);
      BOOST_TEST(factor < 3 * 1.05);
      most = std::max({most, factor, 1 / factor});
    }
    BOOST_TEST(most > 1.3);
  }
}

BOOST_AUTO_TEST_CASE(equal_runs_are_equal) {
  const SimulatedRun run = cholesky_on({0, 1, 2}, SimulationOptions::Model::learned);
  BOOST_TEST(simulate(run).seconds == simulate(run).seconds);
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::apps
