#include "apps/simulate/modelled_super_blocks.hpp"

#include <boost/test/unit_test.hpp>
#include <string>

#include "actors/simulating/kernel_duration.hpp"
#include "graph/codelets/codelet_definition.hpp"

namespace troupe::apps {

BOOST_AUTO_TEST_SUITE(modelled_super_blocks)

namespace {

constexpr std::int64_t kBlock = 192;
constexpr double kCube = 192.0 * 192 * 192;

double us_on_core(const platform::MachineDescription& machine, const std::string& kernel, double flops) {
  return actors::described_time(machine, kernel, flops, {{DeviceKind::cpu_core}}).value_or_throw().mean_us;
}
double us_on_gpu(const platform::MachineDescription& machine, const std::string& kernel, double flops) {
  return actors::described_time(machine, kernel, flops, {{DeviceKind::cuda}, 0}).value_or_throw().mean_us;
}

BOOST_AUTO_TEST_CASE(a_full_super_block_takes_the_times_of_its_blocks_kernels) {
  auto machine = platform::load_machine("idgraf").value_or_throw();
  const auto at = [&](const char* name) {
    const auto* const times = machine.find_kernel("lu", name, "double");
    BOOST_TEST_REQUIRE(times != nullptr);
    return times->cpu(kBlock).mean_us;
  };
  const double getrf = at(machine.find_kernel("lu", "getrf_nopiv", "double") != nullptr ? "getrf_nopiv" : "getrf");
  const double right = at("trsm_right_upper");
  const double left = at("trsm_left_lower");
  const double gemm = at("gemm");
  const auto derived = derive_super_blocks(machine, "double", kBlock, 5);
  BOOST_TEST(derived.size() == 4U);
  BOOST_TEST(text_of_super_blocks(derived).find("gemm_super (the blocks' gemm)") != std::string::npos);
  const auto tolerance = boost::test_tools::tolerance(1e-6);
  BOOST_TEST(us_on_core(machine, "sparse-lu/gemm_super/double", 2 * 37 * kCube) == 37 * gemm, tolerance);
  BOOST_TEST(
      us_on_core(machine, "sparse-lu/getrf_super/double", 2.0 / 3 * 8 * kCube) == 2 * getrf + right + left + gemm,
      tolerance);
  BOOST_TEST(us_on_core(machine, "sparse-lu/trsm_right_upper_super/double", 125 * kCube) == 25 * right + 50 * gemm,
             tolerance);
  BOOST_TEST(us_on_core(machine, "sparse-lu/trsm_left_lower_super/double", 8 * kCube) == 4 * left + 2 * gemm,
             tolerance);
  BOOST_TEST(derive_super_blocks(machine, "double", kBlock, 5).empty());
}

BOOST_AUTO_TEST_CASE(what_is_described_is_left_alone_and_what_a_gpu_lacks_stays_on_cores) {
  auto machine = platform::load_machine("amd-gtx470").value_or_throw();
  BOOST_TEST(derive_super_blocks(machine, "single", kBlock, 5).size() == 3U);
  // The first call has one product, the second call has 125 products.
  BOOST_TEST(2 * kCube / us_on_gpu(machine, "sparse-lu/gemm_super/single", 2 * kCube) * 1e-3 == 0.1 * 1089,
             boost::test_tools::tolerance(1e-3));
  BOOST_TEST(250 * kCube / us_on_gpu(machine, "sparse-lu/gemm_super/single", 250 * kCube) * 1e-3 == 0.35 * 1089,
             boost::test_tools::tolerance(1e-3));
  const auto kernels = modelled_block_lu<float>(machine, kernels::SuperTasks::pieces, 5).value_or_throw();
  BOOST_TEST(kernels.super.multiply.definition().runs_on(DeviceKind::cuda));
  BOOST_TEST(kernels.super.multiply.definition().runs_on(DeviceKind::cpu_core));
  BOOST_TEST(!kernels.super.solve_lower.definition().runs_on(DeviceKind::cuda));
  BOOST_TEST(kernels.super.solve_lower.definition().runs_on(DeviceKind::cpu_core));
}

BOOST_AUTO_TEST_CASE(a_kernel_without_times_on_cores_is_named) {
  auto machine = platform::load_machine("idgraf").value_or_throw();
  const auto missing = modelled_block_lu<double>(machine, kernels::SuperTasks::whole, 2);
  BOOST_TEST_REQUIRE(!missing.ok());
  BOOST_TEST(missing.failure().message.find("getrf_super") != std::string::npos);
  BOOST_TEST(missing.failure().message.find("idgraf") != std::string::npos);
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::apps
