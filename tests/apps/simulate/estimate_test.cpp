#include "apps/simulate/estimate.hpp"

#include <array>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <vector>

#include "proto/median.hpp"

namespace troupe::apps {

BOOST_AUTO_TEST_SUITE(estimates)

namespace {

BOOST_AUTO_TEST_CASE(students_quantiles_are_those_of_printed_tables) {
  const std::vector<std::pair<std::size_t, double>> table{{1, 12.706}, {2, 4.303},   {3, 3.182},   {4, 2.776},
                                                          {5, 2.571},  {9, 2.262},   {10, 2.228},  {29, 2.045},
                                                          {30, 2.042}, {100, 1.984}, {1000, 1.962}};
  for (const auto& [degrees, t] : table) {
    BOOST_TEST_CONTEXT(degrees << " degrees of freedom") { BOOST_TEST(std::abs(student_t_95(degrees) - t) < 5.1e-4); }
  }
}

BOOST_AUTO_TEST_CASE(quantiles_for_very_many_degrees_join_without_a_step) {
  BOOST_TEST(std::abs(student_t_95(10000) - student_t_95(10001)) < 1e-6);
  BOOST_TEST(std::abs(student_t_95(100000000) - 1.959964) < 1e-6);
}

BOOST_AUTO_TEST_CASE(the_interval_is_the_one_computed_by_hand) {
  // The mean is 3. The squared deviations are 4, 1, 0, 1 and 4, so s = sqrt(10 / 4). Student's t for 4 degrees of
  // freedom is 2.7764.
  const std::array values{1.0, 2.0, 3.0, 4.0, 5.0};
  const Estimate result = estimate(values);
  BOOST_TEST(result.mean == 3.0);
  BOOST_TEST(std::abs(result.margin - 2.7764 * std::sqrt(2.5) / std::sqrt(5.0)) < 1e-4);
}

BOOST_AUTO_TEST_CASE(two_values_have_a_wide_interval) {
  const std::array values{10.0, 12.0};
  const Estimate result = estimate(values);
  BOOST_TEST(result.mean == 11.0);
  // The margin is Student's t for 1 degree of freedom, 12.7062, times s / sqrt(2), with s = sqrt(2).
  BOOST_TEST(std::abs(result.margin - 12.7062) < 1e-4);
}

BOOST_AUTO_TEST_CASE(equal_values_a_single_one_and_none_have_no_interval) {
  const std::array equal{7.0, 7.0, 7.0};
  BOOST_TEST(estimate(equal).mean == 7.0);
  BOOST_TEST(estimate(equal).margin == 0.0);
  const std::array one{4.0};
  BOOST_TEST(estimate(one).mean == 4.0);
  BOOST_TEST(estimate(one).margin == 0.0);
  BOOST_TEST(estimate({}).mean == 0.0);
}

BOOST_AUTO_TEST_CASE(a_median_of_few_lies_between_the_smallest_and_the_largest) {
  const std::vector values{5.0, 1.0, 3.0, 2.0};
  const MedianInterval result = median_interval(values);
  BOOST_TEST(result.median == 2.5);
  BOOST_TEST(result.low == 1.0);
  BOOST_TEST(result.high == 5.0);
  BOOST_TEST(median_interval({}).median == 0.0);
}

/// The expected ranges are from tables of the sign test. Of 8 values: all (99.2 %). Of 9 values: all except the lowest
/// and the highest (96.1 %). Of 20 values: the sixth to the fifteenth (95.9 %).
BOOST_AUTO_TEST_CASE(the_interval_of_a_median_leaves_out_as_many_as_95_percent_allow) {
  const auto interval_of = [](int count) {
    std::vector<double> values;
    for (int i = count; i >= 1; --i) values.push_back(i);
    return median_interval(values);
  };
  BOOST_TEST(interval_of(8).low == 1.0);
  BOOST_TEST(interval_of(8).high == 8.0);
  BOOST_TEST(interval_of(9).low == 2.0);
  BOOST_TEST(interval_of(9).high == 8.0);
  BOOST_TEST(interval_of(20).low == 6.0);
  BOOST_TEST(interval_of(20).high == 15.0);
  BOOST_TEST(interval_of(1000).median == 500.5);
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::apps
