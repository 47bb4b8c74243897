#include "troupe/machine.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>

namespace troupe::platform {

BOOST_AUTO_TEST_SUITE(kernel_times)

namespace {

const auto kTight = boost::test_tools::tolerance(1e-9);

/// Returns a curve with two points. At edge 100 the rate is 1000 cubes of elements per microsecond, with a deviation of
/// 10 %. At edge 400 the rate is 4000, with a deviation of 30 %.
TimeCurve two_points() {
  TimeCurve curve;
  curve.add(400, {16000, 4800});
  curve.add(100, {1000, 100});
  return curve;
}

BOOST_AUTO_TEST_CASE(a_measured_edge_gives_exactly_what_was_measured) {
  TimeCurve curve;
  curve.add(0.1, {0.3, 0.1});
  curve.add(0.7, {0.9, 0.2});
  BOOST_TEST(curve.at(0.1).mean_us == 0.3);
  BOOST_TEST(curve.at(0.1).deviation_us == 0.1);
  BOOST_TEST(curve.at(0.7).mean_us == 0.9);
  BOOST_TEST(curve.at(0.7).deviation_us == 0.2);
}

BOOST_AUTO_TEST_CASE(between_two_edges_the_logarithm_of_the_rate_is_a_straight_line) {
  // In logarithms, 200 is halfway between 100 and 400, so the rate is sqrt(1000 * 4000) = 2000.
  const KernelTime middle = two_points().at(200);
  BOOST_TEST(middle.mean_us == 200.0 * 200 * 200 / 2000, kTight);
  BOOST_TEST(middle.deviation_us == 0.2 * middle.mean_us, kTight);
  // At a quarter of the way, the rate is 1000 * 4^(1/4) and the deviation is 15 %.
  const double edge = 100 * std::sqrt(2.0);
  const KernelTime quarter = two_points().at(edge);
  BOOST_TEST(quarter.mean_us == edge * edge * edge / (1000 * std::sqrt(2.0)), kTight);
  BOOST_TEST(quarter.deviation_us == 0.15 * quarter.mean_us, kTight);
}

BOOST_AUTO_TEST_CASE(outside_the_measured_range_the_nearest_rate_holds) {
  const KernelTime below = two_points().at(10);
  BOOST_TEST(below.mean_us == 1.0, kTight);
  BOOST_TEST(below.deviation_us == 0.1, kTight);
  const KernelTime above = two_points().at(800);
  BOOST_TEST(above.mean_us == 128000.0, kTight);
  BOOST_TEST(above.deviation_us == 38400.0, kTight);
}

BOOST_AUTO_TEST_CASE(one_point_is_a_constant_rate) {
  TimeCurve curve;
  curve.add(10, {5, 0});
  BOOST_TEST(curve.at(20).mean_us == 40.0, kTight);
  BOOST_TEST(curve.at(5).mean_us == 0.625, kTight);
  BOOST_TEST(curve.at(20).deviation_us == 0.0);
}

BOOST_AUTO_TEST_CASE(every_device_has_a_curve_of_its_own) {
  const KernelTimes kernel("lu", "gemm", "single",
                           {{20, 16000, KernelTime{800, 8}, {{80, 1}, {160, 2}}}, {10, 0, KernelTime{100, 1}, {}}}, 2);
  BOOST_TEST(kernel.application() == "lu");
  BOOST_TEST(kernel.kernel() == "gemm");
  BOOST_TEST(kernel.precision() == "single");
  BOOST_TEST(kernel.on_cpu());
  BOOST_TEST(kernel.on_gpus());
  BOOST_TEST((kernel.edges() == std::vector<double>{10, 20}));
  BOOST_TEST(kernel.cpu(10).mean_us == 100.0);
  BOOST_TEST(kernel.gpu(0, 20).mean_us == 80.0);
  BOOST_TEST(kernel.gpu(1, 20).mean_us == 160.0);
  // On GPUs, edge 10 was not measured, so the kernel has the rate of edge 20.
  BOOST_TEST(kernel.gpu(1, 10).mean_us == 20.0, kTight);
}

BOOST_AUTO_TEST_CASE(operations_come_from_the_largest_tile_that_records_them) {
  const KernelTimes recorded(
      "a", "k", "single",
      {{10, 500, KernelTime{1, 0}, {}}, {20, 3200, KernelTime{1, 0}, {}}, {40, 0, KernelTime{1, 0}, {}}}, 0);
  BOOST_TEST(recorded.flops_per_cube() == 0.4, kTight);
  const KernelTimes unknown("a", "k", "single", {{10, 0, KernelTime{1, 0}, {}}}, 0);
  BOOST_TEST(unknown.flops_per_cube() == 0.0);
  BOOST_TEST(!unknown.on_gpus());
}

BOOST_AUTO_TEST_CASE(a_scaled_kernel_has_the_rate_of_its_model) {
  const KernelTimes model(
      "a", "k", "double",
      {{100, 4e6, KernelTime{1000, 100}, {{50, 5}}}, {400, 256e6, KernelTime{16000, 4800}, {{800, 8}}}}, 1);
  const KernelTimes half = model.scaled("b", "l", 0.5);
  BOOST_TEST((half.application() == "b" && half.kernel() == "l" && half.precision() == "double"));
  for (const double edge : {50.0, 100.0, 230.0, 400.0, 900.0}) {
    BOOST_TEST(half.cpu(edge).mean_us == model.cpu(edge).mean_us / 2, kTight);
    BOOST_TEST(half.cpu(edge).deviation_us == model.cpu(edge).deviation_us / 2, kTight);
    BOOST_TEST(half.gpu(0, edge).mean_us == model.gpu(0, edge).mean_us / 2, kTight);
  }
  BOOST_TEST(half.edge_with(2e6) == model.edge_with(4e6), kTight);
}

/// Returns a kernel that takes 100 us at edge 10 and 800 us at edge 20. Of these times, 10 us and 80 us cannot be
/// divided among cores.
KernelTimes shared_kernel() {
  return {"a",
          "k",
          "single",
          {{10, 2000, KernelTime{100, 10}, {}, {{3, {40, 8}}, {9, {20, 0}}}},
           {20, 16000, KernelTime{800, 80}, {}, {{3, {320, 64}}, {9, {160, 0}}}}},
          0};
}

BOOST_AUTO_TEST_CASE(clusters_have_curves_of_their_own_and_others_follow_amdahls_law) {
  const KernelTimes kernel = shared_kernel();
  BOOST_TEST(kernel.on_clusters());
  BOOST_TEST((kernel.core_counts() == std::vector<int>{1, 3, 9}));
  BOOST_TEST(kernel.cpu(10).mean_us == 100.0);
  BOOST_TEST(kernel.cluster(1, 10).mean_us == 100.0);
  BOOST_TEST(kernel.cluster(3, 10).mean_us == 40.0);
  BOOST_TEST(kernel.cluster(9, 10).mean_us == 20.0);
  BOOST_TEST(kernel.cluster(2, 10).mean_us == 55.0, kTight);
  BOOST_TEST(kernel.cluster(6, 10).mean_us == 25.0, kTight);
  BOOST_TEST(kernel.cluster(18, 20).mean_us == 120.0, kTight);
  // Outside of the measured edges, the rate of the nearest edge is used. A cluster that was not measured has the
  // relative deviation of the next smaller measured cluster.
  BOOST_TEST(kernel.cluster(6, 5).mean_us == 25.0 / 8, kTight);
  BOOST_TEST(kernel.cluster(2, 10).deviation_us == 5.5, kTight);
  BOOST_TEST(kernel.cluster(6, 10).deviation_us == 5.0, kTight);
  BOOST_TEST(kernel.cluster(18, 10).deviation_us == 0.0);
}

BOOST_AUTO_TEST_CASE(a_scaled_kernel_is_scaled_on_clusters_too) {
  const KernelTimes half = shared_kernel().scaled("b", "l", 0.5);
  BOOST_TEST(half.cluster(3, 10).mean_us == 20.0);
  BOOST_TEST(half.cluster(6, 10).mean_us == 12.5, kTight);
}

BOOST_AUTO_TEST_CASE(without_times_for_clusters_there_are_none) {
  const KernelTimes kernel("a", "k", "single", {{10, 0, KernelTime{100, 10}, {}}}, 0);
  BOOST_TEST(!kernel.on_clusters());
  BOOST_TEST((kernel.core_counts() == std::vector<int>{1}));
}

BOOST_AUTO_TEST_CASE(a_kernel_may_run_on_gpus_only) {
  const KernelTimes kernel("a", "k", "single", {{10, 0, std::nullopt, {{4, 0}}}}, 1);
  BOOST_TEST(!kernel.on_cpu());
  BOOST_TEST(kernel.gpu(0, 10).mean_us == 4.0);
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::platform
