#include "lab/bench/statistics.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <random>

namespace troupe::bench {

BOOST_AUTO_TEST_SUITE(statistics)

namespace {

std::vector<double> descending(int n) {
  std::vector<double> samples;
  for (int i = n; i >= 1; --i) samples.push_back(i);
  return samples;
}

BOOST_AUTO_TEST_CASE(the_median_is_the_middle_or_the_mean_of_the_two) {
  BOOST_TEST(median_of({3}) == 3);
  BOOST_TEST(median_of({5, 1, 3}) == 3);
  BOOST_TEST(median_of({4, 1, 3, 2}) == 2.5);
  BOOST_CHECK_THROW((void)median_of({}), std::invalid_argument);
  BOOST_CHECK_THROW((void)estimate({}), std::invalid_argument);
}

/// The expected ranks are from printed tables, such as those in Conover, "Practical Nonparametric Statistics".
BOOST_AUTO_TEST_CASE(intervals_have_the_ranks_of_the_tables) {
  const auto has = [](int n, double low, double high, double coverage) {
    const Estimate found = estimate(descending(n));
    BOOST_TEST_CONTEXT(n << " samples") {
      BOOST_TEST(found.low == low);
      BOOST_TEST(found.high == high);
      BOOST_TEST(std::abs(found.coverage - coverage) < 1e-4);
      BOOST_TEST(found.samples == static_cast<std::size_t>(n));
    }
  };
  has(1, 1, 1, 0);
  has(2, 1, 2, 0.5);
  has(5, 1, 5, 0.9375);
  has(6, 1, 6, 0.96875);
  has(9, 2, 8, 0.9609);
  has(10, 2, 9, 0.9785);
  has(20, 6, 15, 0.9586);
}

BOOST_AUTO_TEST_CASE(intervals_hold_the_median_as_often_as_they_say) {
  std::mt19937_64 random(7);
  std::exponential_distribution<double> distribution(1.0);
  const double true_median = std::log(2.0);
  int held = 0;
  constexpr int kTrials = 4000;
  double coverage = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<double> samples(9);
    std::generate(samples.begin(), samples.end(), [&] { return distribution(random); });
    const Estimate found = estimate(samples);
    coverage = found.coverage;
    held += found.low <= true_median && true_median <= found.high ? 1 : 0;
  }
  BOOST_TEST(std::abs(static_cast<double>(held) / kTrials - coverage) < 0.015);
}

BOOST_AUTO_TEST_CASE(ratios_are_of_pairs) {
  const std::vector<double> result = ratios(std::vector<double>{1, 6}, std::vector<double>{2, 3});
  BOOST_TEST(result == (std::vector<double>{0.5, 2}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(quantiles_are_samples) {
  std::vector<double> sorted = descending(100);
  std::reverse(sorted.begin(), sorted.end());
  BOOST_TEST(quantile(sorted, 0.5) == 50);
  BOOST_TEST(quantile(sorted, 0.99) == 99);
  BOOST_TEST(quantile(sorted, 1) == 100);
  BOOST_TEST(quantile(sorted, 0) == 1);
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::bench
