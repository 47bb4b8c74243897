#include "kernels/peak.hpp"

#include <boost/test/unit_test.hpp>
#include <vector>

namespace troupe::kernels {

BOOST_AUTO_TEST_SUITE(peak)

namespace {

constexpr int kOrder = 128;
constexpr int kUnbound = -1;

BOOST_AUTO_TEST_CASE(is_a_rate_that_a_core_may_have) {
  const std::vector<int> one{kUnbound};
  for (const double rate : {measure_peak<double>(one, kOrder, 3), measure_peak<float>(one, kOrder, 3)}) {
    BOOST_TEST(rate > 0.001);
    BOOST_TEST(rate < 10000);
  }
}

BOOST_AUTO_TEST_CASE(is_the_sum_over_the_threads) {
  // Neither as little as one thread's share nor as much as many cores': two threads may share one core.
  const double one = measure_peak<double>(std::vector<int>{kUnbound}, kOrder, 20);
  const double three = measure_peak<double>(std::vector<int>{kUnbound, kUnbound, kUnbound}, kOrder, 20);
  BOOST_TEST(three > 0.05 * one);
  BOOST_TEST(three < 60 * one);
}

BOOST_AUTO_TEST_CASE(of_no_core_is_zero) { BOOST_TEST(measure_peak<double>(std::vector<int>{}, kOrder, 1) == 0); }

BOOST_AUTO_TEST_CASE(works_where_a_processing_unit_is_not_there) {
  BOOST_TEST(measure_peak<double>(std::vector<int>{0, 1 << 20}, kOrder, 1) > 0);
}

BOOST_AUTO_TEST_CASE(throws_where_the_matrices_do_not_fit) {
  constexpr int kTooLarge = 2'000'000'000;
  BOOST_CHECK_THROW(measure_peak<double>(std::vector<int>{kUnbound, kUnbound}, kTooLarge, 1), std::exception);
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::kernels
