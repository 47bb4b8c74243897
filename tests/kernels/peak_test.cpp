#include "kernels/peak.hpp"

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <utility>
#include <vector>

namespace troupe::kernels {

BOOST_AUTO_TEST_SUITE(peak)

namespace {

constexpr int kOrder = 128;
constexpr int kUnbound = -1;

/// Returns the measured rate of `threads` threads in GFlop/s, and a lower bound for it: the work of the whole call
/// divided by its time, which includes the time before and after the measured products.
template <class T>
std::pair<double, double> measured_and_least(std::size_t threads, int repetitions) {
  const auto start = std::chrono::steady_clock::now();
  const double rate = measure_peak<T>(std::vector<int>(threads, kUnbound), kOrder, repetitions);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  const double flops = 2.0 * kOrder * kOrder * kOrder * repetitions * static_cast<double>(threads);
  return {rate, flops / elapsed.count() * 1e-9};
}

BOOST_AUTO_TEST_CASE(counts_the_operations_of_the_products_and_no_more_time_than_they_take) {
  for (const auto& [rate, least] : {measured_and_least<double>(1, 20), measured_and_least<float>(1, 20)}) {
    BOOST_TEST(rate >= least);
    BOOST_TEST(rate < 1000 * least);
  }
}

BOOST_AUTO_TEST_CASE(is_the_sum_over_the_threads) {
  const auto [rate, least] = measured_and_least<double>(3, 20);
  BOOST_TEST(rate >= least);
}

BOOST_AUTO_TEST_CASE(of_the_calling_thread_is_about_what_its_products_have) {
  // `core_speed` uses processor time, which is not longer than elapsed time. But it measures short products, which have
  // a lower rate than long ones, so the limits are wide.
  const auto [rate, least] = measured_and_least<double>(1, 20);
  BOOST_TEST(core_speed() * 1e-9 > 0.2 * least);
  BOOST_TEST(core_speed() * 1e-9 < 1000 * rate);
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
