#include "apps/simulate/simulation_point.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>

namespace troupe::apps {

BOOST_AUTO_TEST_SUITE(simulation_points)

namespace {

WorkerReport worker(DeviceKind kind, double busy_s) {
  WorkerReport report;
  report.kind = kind;
  report.time.busy = Duration(std::llround(busy_s * 1e9));
  return report;
}

FactorizationOutcome outcome(double seconds, std::uint64_t to_device, std::vector<LinkTraffic> links) {
  FactorizationOutcome result;
  result.seconds = seconds;
  result.gflops = 100 / seconds;
  result.tasks = 7;
  result.report.workers = {worker(DeviceKind::cpu_core, 0.5), worker(DeviceKind::cpu_core, 1),
                           worker(DeviceKind::cuda, 2)};
  result.report.transfers.host_to_device = {to_device};
  result.report.transfers.device_to_device = {5};
  result.report.transfers.links = std::move(links);
  return result;
}

BOOST_AUTO_TEST_CASE(are_means_over_the_runs) {
  const auto point = point_of({4, {0}, "heft"}, {outcome(2, 10, {}), outcome(4, 30, {})});
  BOOST_TEST(point.seconds.mean == 3.0);
  BOOST_TEST(point.seconds.margin > 12.0);
  BOOST_TEST(point.gflops.mean == 37.5);
  BOOST_TEST(point.bytes_host_to_device.mean == 20.0);
  BOOST_TEST(point.bytes.mean == 25.0);
  BOOST_TEST(point.tasks == 7U);
}

BOOST_AUTO_TEST_CASE(utilization_is_busy_time_over_makespan_for_each_kind) {
  const auto point = point_of({4, {0}, "heft"}, {outcome(2, 10, {})});
  BOOST_TEST(point.utilization(false).value() == 0.375);
  BOOST_TEST(point.utilization(true).value() == 1.0);
  BOOST_TEST(point.cores() == 2);
}

BOOST_AUTO_TEST_CASE(a_link_that_some_runs_did_not_use_counts_as_nothing_there) {
  const LinkTraffic up{"up", 100, {8}, Duration(1'000'000'000)};
  const LinkTraffic down{"down", 100, {6}, Duration(500'000'000)};
  const auto point = point_of({4, {0}, "heft"}, {outcome(2, 10, {up}), outcome(2, 10, {up, down})});
  BOOST_TEST_REQUIRE(point.links.size() == 2U);
  BOOST_TEST(point.links[0].bytes.mean == 8.0);
  BOOST_TEST(point.links[0].busy.mean == 0.5);
  BOOST_TEST(point.links[1].name == "down");
  BOOST_TEST(point.links[1].bytes.mean == 3.0);
  BOOST_TEST(point.links[1].busy.mean == 0.125);
}

BOOST_AUTO_TEST_CASE(the_fraction_of_the_bound_is_unknown_without_a_bound) {
  auto point = point_of({4, {}, "heft"}, {outcome(2, 10, {})});
  BOOST_TEST(!point.fraction_of_bound().has_value());
  point.run_bounds_s = {0.4, 0.6};
  BOOST_TEST(point.fraction_of_bound().value() == 0.25);
}

BOOST_AUTO_TEST_CASE(the_fraction_of_the_bytes_is_unknown_without_a_bound_or_bytes) {
  auto point = point_of({4, {0}, "heft"}, {outcome(2, 15, {})});
  BOOST_TEST(!point.bytes_fraction_of_bound().has_value());
  point.bound_bytes = Bytes{5};
  BOOST_TEST(point.bytes_fraction_of_bound().value() == 0.25);
  point.bytes = {};
  BOOST_TEST(!point.bytes_fraction_of_bound().has_value());
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::apps
