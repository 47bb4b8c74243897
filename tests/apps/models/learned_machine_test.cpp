#include "apps/models/learned_machine.hpp"

#include <boost/test/unit_test.hpp>
#include <cstdint>

namespace troupe::apps {

BOOST_AUTO_TEST_SUITE(learned_machine_of_cores)

namespace {

using scheduler::ExecutionHistory;
using scheduler::KernelKey;

/// Describes tasks of a codelet "gemm" that ran on `cores` cores, with data of these shapes.
struct Ran {
  int cores = 1;
  std::uint64_t shapes = 1;
  double flops = 0;
  double time_s = 0;
  int times = 3;
  std::size_t element_bytes = 8;
};

void add(ExecutionHistory& history, const Ran& ran) {
  auto& kernel = history.kernel(KernelKey{"gemm", {DeviceKind::cpu_core, ran.cores}, ran.element_bytes, true});
  for (int i = 0; i < ran.times; ++i) kernel.add(kernel.shape(ran.shapes, {.size = ran.flops}), ran.time_s);
}

constexpr auto kClose = 1e-9;

}  // namespace

BOOST_AUTO_TEST_CASE(times_by_number_of_cores_are_those_that_were_measured) {
  ExecutionHistory history;
  add(history, {.cores = 1, .flops = 8e6, .time_s = 1e-3});
  add(history, {.cores = 4, .flops = 8e6, .time_s = 3e-4});
  const auto times = learned_times(history, "gemm", 8);
  BOOST_TEST_REQUIRE(times.size() == 1U);
  BOOST_TEST(times[0].edge == 200, boost::test_tools::tolerance(kClose));
  BOOST_TEST(times[0].flops == 8e6);
  BOOST_TEST(times[0].cpu->mean_us == 1000, boost::test_tools::tolerance(kClose));
  BOOST_TEST_REQUIRE(times[0].clusters.size() == 1U);
  BOOST_TEST(times[0].clusters[0].cores == 4);
  BOOST_TEST(times[0].clusters[0].time.mean_us == 300, boost::test_tools::tolerance(kClose));
}

BOOST_AUTO_TEST_CASE(few_times_other_precisions_and_other_codelets_say_nothing) {
  ExecutionHistory history;
  add(history, {.flops = 8e6, .time_s = 1e-3, .times = 2});
  add(history, {.flops = 8e6, .time_s = 1e-3, .element_bytes = 4});
  BOOST_TEST(learned_times(history, "gemm", 8).empty());
  BOOST_TEST(learned_times(history, "gemm", 4).size() == 1U);
  BOOST_TEST(learned_times(history, "trsm", 4).empty());
}

BOOST_AUTO_TEST_CASE(shapes_with_as_many_operations_are_one_size) {
  ExecutionHistory history;
  add(history, {.shapes = 1, .flops = 8e6, .time_s = 1e-3});
  add(history, {.shapes = 2, .flops = 8e6, .time_s = 2e-3});
  const auto times = learned_times(history, "gemm", 8);
  BOOST_TEST_REQUIRE(times.size() == 1U);
  BOOST_TEST(times[0].cpu->mean_us == 1500, boost::test_tools::tolerance(kClose));
}

BOOST_AUTO_TEST_CASE(one_core_that_was_not_measured_follows_from_two_sizes_of_cluster) {
  ExecutionHistory history;
  // 0.1 ms of the time cannot be divided among cores; 0.9 ms can.
  add(history, {.cores = 3, .flops = 8e6, .time_s = 4e-4});
  BOOST_TEST(learned_times(history, "gemm", 8).empty());
  add(history, {.cores = 9, .flops = 8e6, .time_s = 2e-4});
  const auto times = learned_times(history, "gemm", 8);
  BOOST_TEST_REQUIRE(times.size() == 1U);
  BOOST_TEST(times[0].cpu->mean_us == 1000, boost::test_tools::tolerance(1e-6));
  BOOST_TEST(times[0].clusters.size() == 2U);
}

BOOST_AUTO_TEST_CASE(a_machine_has_the_kernels_that_are_known) {
  ExecutionHistory history;
  add(history, {.cores = 1, .flops = 8e6, .time_s = 1e-3});
  add(history, {.cores = 4, .flops = 8e6, .time_s = 3e-4});
  const auto needed = needed_kernels<double>(linalg::Application::cholesky, linalg::Pivoting::none);
  BOOST_TEST_REQUIRE(needed.size() == 4U);
  const auto machine = learned_machine(history, 6, "cholesky", needed, "double", 8);
  BOOST_TEST(machine.cores == 6);
  BOOST_TEST(machine.gpus.empty());
  BOOST_TEST_REQUIRE(machine.kernels.size() == 1U);
  const auto* gemm = machine.find_kernel("cholesky", "gemm", "double");
  BOOST_TEST_REQUIRE(gemm != nullptr);
  // The predicted time is that of a tile with equally many operations. Amdahl's law gives the times between 1 and 4
  // cores.
  BOOST_TEST(gemm->cluster(1, gemm->edge_with(8e6)).mean_us == 1000, boost::test_tools::tolerance(1e-6));
  BOOST_TEST(gemm->cluster(2, gemm->edge_with(8e6)).mean_us == 1600.0 / 3, boost::test_tools::tolerance(1e-6));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::apps
