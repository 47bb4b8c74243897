#include "apps/simulate/scaled_machine.hpp"

#include <boost/test/unit_test.hpp>
#include <set>

namespace troupe::apps {

BOOST_AUTO_TEST_SUITE(scaled_machine)

namespace {

const auto close = boost::test_tools::tolerance(1e-12);

BOOST_AUTO_TEST_CASE(makes_gpus_faster_on_assumed_kernels_alone) {
  const auto plain = platform::load_machine("idgraf-double").value_or_throw();
  const auto faster = machine_with_assumptions("idgraf-double", 1.5).value_or_throw();
  const auto gpu = [](const auto& machine, const char* application, const char* kernel) {
    return machine.find_kernel(application, kernel, "double")->gpu(3, 512);
  };
  for (const auto& [application, kernel] : {std::pair{"cholesky", "syrk"},
                                            {"cholesky", "potrf"},
                                            {"lu", "getrf_nopiv"},
                                            {"qr", "tsmqr"},
                                            {"qr", "geqrt"}}) {
    BOOST_TEST(gpu(faster, application, kernel).mean_us == gpu(plain, application, kernel).mean_us / 1.5, close);
    BOOST_TEST(gpu(faster, application, kernel).deviation_us == gpu(plain, application, kernel).deviation_us / 1.5,
               close);
    BOOST_TEST(faster.find_kernel(application, kernel, "double")->cpu(512).mean_us ==
               plain.find_kernel(application, kernel, "double")->cpu(512).mean_us);
  }
  for (const auto& [application, kernel] : {std::pair{"cholesky", "gemm"}, {"cholesky", "trsm"}, {"lu", "gemm"}}) {
    BOOST_TEST(gpu(faster, application, kernel).mean_us == gpu(plain, application, kernel).mean_us);
  }
}

BOOST_AUTO_TEST_CASE(adds_the_deviations_that_a_file_lacks_and_no_others) {
  const auto machine = machine_with_deviation("sirocco-double", 0.1, GpuLinks::as_described).value_or_throw();
  for (const auto& kernel : machine.kernels) {
    for (const auto& time : {kernel.cpu(960), kernel.cluster(10, 960), kernel.gpu(2, 1920)}) {
      BOOST_TEST(time.deviation_us == 0.1 * time.mean_us, close);
    }
  }
  const auto measured = machine_with_deviation("idgraf", 0.1, GpuLinks::as_described).value_or_throw();
  const auto plain = platform::load_machine("idgraf").value_or_throw();
  const auto time = [](const auto& of) { return of.find_kernel("cholesky", "gemm", "single")->gpu(0, 960); };
  BOOST_TEST_REQUIRE(time(plain).deviation_us > 0);
  BOOST_TEST(time(measured).deviation_us == time(plain).deviation_us);
}

BOOST_AUTO_TEST_CASE(gives_each_gpu_a_link) {
  const auto machine = machine_with_deviation("sirocco-double", 0, GpuLinks::one_each).value_or_throw();
  BOOST_TEST_REQUIRE(machine.links.size() == 4U);
  for (const auto& link : machine.links) BOOST_TEST(link.bandwidth_mb_per_s == 10520);
  std::set<std::uint32_t> to_host;
  for (std::size_t node = 1; node <= 4; ++node) {
    BOOST_TEST((machine.route(0, node).links == machine.route(node, 0).links));
    to_host.insert(machine.route(node, 0).links.at(0));
  }
  BOOST_TEST(to_host.size() == 4U);
  BOOST_TEST(machine.route(1, 2).links.size() == 2U);
}

BOOST_AUTO_TEST_CASE(refuses_what_cannot_be) {
  BOOST_TEST(!machine_with_deviation("nowhere", 0.05, GpuLinks::as_described).ok());
  BOOST_TEST(!machine_with_deviation("sirocco-double", -0.05, GpuLinks::as_described).ok());
  BOOST_TEST(!machine_with_assumptions("idgraf-double", 0).ok());
  BOOST_TEST(!machine_with_assumptions("idgraf-double", -1).ok());
  BOOST_TEST(!machine_with_assumptions("nowhere", 1).ok());
}

BOOST_AUTO_TEST_CASE(products_in_one_call_reach_another_fraction_of_the_peak) {
  const auto as_is = platform::load_machine("xeon-gtx480").value_or_throw();
  const auto faster = machine_with_streamed_fraction("xeon-gtx480", 0.5).value_or_throw();
  const auto* const before = as_is.find_kernel("sparse-lu", "gemm_super", "single");
  const auto* const after = faster.find_kernel("sparse-lu", "gemm_super", "single");
  for (const double edge : {521.0, 960.0}) {
    BOOST_TEST(after->gpu(0, edge).mean_us == before->gpu(0, edge).mean_us * 0.35 / 0.5,
               boost::test_tools::tolerance(1e-9));
    BOOST_TEST(after->cpu(edge).mean_us == before->cpu(edge).mean_us);
  }
  BOOST_TEST(after->gpu(0, 192).mean_us == before->gpu(0, 192).mean_us);
  BOOST_TEST(!machine_with_streamed_fraction("xeon-gtx480", 0).ok());
  BOOST_TEST(!machine_with_streamed_fraction("idgraf", 0.5).ok());
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::apps
