#include "lab/experiments/scaling_summary.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>

#include "tests/support/temporary_folder.hpp"

namespace troupe::apps {

namespace scaling_summary {

using tests::contains;

FactorizationOutcome outcome(double seconds, std::uint64_t to_device) {
  FactorizationOutcome result;
  result.seconds = seconds;
  result.gflops = 100 / seconds;
  result.tasks = 7;
  WorkerReport core;
  WorkerReport gpu;
  gpu.kind = DeviceKind::emulated;
  result.report.workers = {core, gpu};
  result.report.transfers.host_to_device = {to_device};
  result.report.transfers.device_to_host = {5};
  PredictionReport prediction;
  prediction.errors.add(std::chrono::microseconds(50), std::chrono::microseconds(100));
  result.report.predictions = {prediction};
  return result;
}

linalg::Residual residual(double value) {
  linalg::Residual result;
  result.formula = "r";
  result.value = value;
  return result;
}

struct Fixture {
  Fixture() {
    arguments.devices = ScalingDevices::emulated;
    arguments.policies = {"heft", "dada:alpha=0.5"};
    arguments.repeat = 3;
    runs.push_back({"heft", 2, {outcome(4, 10), outcome(1, 30), outcome(2, 20)}, {}});
    runs.push_back({"dada:alpha=0.5", 2, {outcome(2, 1)}, {}});
    runs.push_back({"heft", 1, {outcome(8, 10)}, {}});
  }
  std::vector<ScalingPoint> points() const {
    std::vector<ScalingPoint> points;
    for (const ScalingRuns& of : runs) points.push_back(scaling_point(of));
    return points;
  }

  ScalingArguments arguments;
  std::vector<ScalingRuns> runs;
};

}  // namespace scaling_summary

BOOST_FIXTURE_TEST_SUITE(scaling_summary, Fixture)

BOOST_AUTO_TEST_CASE(a_point_has_medians_and_where_they_lie) {
  const ScalingPoint point = points()[0];
  BOOST_TEST(point.seconds.median == 2.0);
  BOOST_TEST(point.seconds.low == 1.0);
  BOOST_TEST(point.seconds.high == 4.0);
  BOOST_TEST(point.gflops.median == 50.0);
  BOOST_TEST(point.bytes.median == 25.0);
  BOOST_TEST(point.bytes_host_to_device.median == 20.0);
  BOOST_REQUIRE(point.prediction_error.has_value());
  BOOST_TEST(*point.prediction_error == 0.5, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(!point.residual.has_value());
}

BOOST_AUTO_TEST_CASE(the_worst_residual_counts_and_nan_is_worst) {
  runs[0].residuals = {residual(0.5), residual(3)};
  BOOST_TEST(*points()[0].residual == 3.0);
  runs[0].residuals.push_back(residual(std::numeric_limits<double>::quiet_NaN()));
  BOOST_TEST(std::isnan(*points()[0].residual));
}

BOOST_AUTO_TEST_CASE(the_table_says_that_emulated_times_prove_nothing) {
  const std::string text = scaling_text(arguments, points());
  for (const char* part :
       {"emulated accelerators", "prove nothing about speed", "50 [25, 100]", "dada:alpha=0.5", "50.0 %"}) {
    BOOST_TEST(contains(text, part), "no '" << part << "' in\n" << text);
  }
  arguments.devices = ScalingDevices::modelled;
  arguments.platform = "sirocco";
  const std::string modelled = scaling_text(arguments, points());
  BOOST_TEST(contains(modelled, "sirocco, virtual time"));
  BOOST_TEST(!contains(modelled, "prove nothing"));
}

BOOST_AUTO_TEST_CASE(json_has_every_run_and_no_interval_of_a_single_one) {
  const auto json = scaling_json(arguments, runs, points());
  BOOST_TEST(json["devices"] == "emulated");
  BOOST_TEST(json["virtual"] == false);
  BOOST_TEST_REQUIRE(json["results"].size() == 3U);
  const auto& first = json["results"][0];
  BOOST_TEST(first["seconds"] == 2.0);
  BOOST_TEST(first["seconds_low"] == 1.0);
  BOOST_TEST(first["runs"].size() == 3U);
  BOOST_TEST(first["runs"][1]["bytes_host_to_device"] == 30);
  BOOST_TEST(first["cores"] == 1);
  BOOST_TEST(json["results"][1]["policy_options"]["alpha"] == "0.5");
  BOOST_TEST(!json["results"][1].contains("seconds_low"));
}

BOOST_AUTO_TEST_CASE(the_picture_has_a_line_for_each_policy_by_number_of_accelerators) {
  const ScalingChart chart = scaling_chart(arguments, points());
  BOOST_TEST_REQUIRE(chart.rows.size() == 1U);
  BOOST_TEST_REQUIRE(chart.rows[0].series.size() == 2U);
  const ChartSeries& heft = chart.rows[0].series[0];
  BOOST_TEST(heft.name == "heft");
  BOOST_TEST_REQUIRE(heft.points.size() == 2U);
  BOOST_TEST(heft.points[0].x == 1);
  BOOST_TEST(heft.points[1].gflops.value == 50.0);
  BOOST_TEST(heft.points[1].gflops.low == 25.0);
  BOOST_TEST(heft.points[1].gigabytes.value().high == 35e-9);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::apps
