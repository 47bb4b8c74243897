#include "apps/simulate/scaled_machine.hpp"

#include <boost/test/unit_test.hpp>

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

BOOST_AUTO_TEST_CASE(refuses_what_cannot_be) {
  BOOST_TEST(!machine_with_assumptions("idgraf-double", 0).ok());
  BOOST_TEST(!machine_with_assumptions("idgraf-double", -1).ok());
  BOOST_TEST(!machine_with_assumptions("nowhere", 1).ok());
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::apps
