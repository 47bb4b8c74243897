#include "actors/scheduler/models/time_statistics.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <vector>

namespace troupe::scheduler {

BOOST_AUTO_TEST_SUITE(time_statistics)

namespace {

const auto kClose = boost::test_tools::tolerance(1e-12);

TimeStatistics of(const std::vector<double>& times) {
  TimeStatistics statistics;
  for (const double time : times) statistics.add(time);
  return statistics;
}

BOOST_AUTO_TEST_CASE(nothing_measured_is_nothing) {
  BOOST_TEST(of({}).count() == 0U);
  BOOST_TEST(of({}).mean_s() == 0);
  BOOST_TEST(of({}).deviation_s() == 0);
}

BOOST_AUTO_TEST_CASE(mean_and_deviation_are_those_of_a_sample) {
  // The squares of the distances from 5 are 9 1 1 1 0 0 4 16. Their sum is 32, so the variance is 32 / 7.
  const TimeStatistics statistics = of({4, 2, 4, 4, 5, 5, 7, 9});
  BOOST_TEST(statistics.count() == 8U);
  BOOST_TEST(statistics.mean_s() == 5, kClose);
  BOOST_TEST(statistics.deviation_s() == std::sqrt(32.0 / 7), kClose);
  BOOST_TEST(statistics.strange() == 0U);
}

BOOST_AUTO_TEST_CASE(one_time_has_no_deviation) {
  BOOST_TEST(of({4}).mean_s() == 4);
  BOOST_TEST(of({4}).deviation_s() == 0);
}

BOOST_AUTO_TEST_CASE(a_cold_first_time_leaves_no_trace) {
  const TimeStatistics statistics = of({10, 1, 1, 1});
  BOOST_TEST(statistics.count() == 3U);
  BOOST_TEST(statistics.mean_s() == 1, kClose);
  BOOST_TEST(statistics.deviation_s() == 0, kClose);
}

BOOST_AUTO_TEST_CASE(a_rare_stranger_is_set_aside_and_a_time_within_the_factor_is_not) {
  const TimeStatistics slow = of({1, 1, 1, 10, 1});
  BOOST_TEST(slow.mean_s() == 1, kClose);
  BOOST_TEST(slow.count() == 4U);
  BOOST_TEST(slow.strange() == 1U);
  BOOST_TEST(of({1, 1, 1, 0.1, 1}).mean_s() == 1, kClose);
  BOOST_TEST(of({1, 1, 1, 3}).mean_s() == 1.5, kClose);
}

BOOST_AUTO_TEST_CASE(three_strangers_in_a_row_show_that_the_mean_was_wrong) {
  const TimeStatistics statistics = of({1, 1, 1, 1, 1, 10, 12, 14});
  BOOST_TEST(statistics.count() == 3U);
  BOOST_TEST(statistics.mean_s() == 12, kClose);
  BOOST_TEST(statistics.deviation_s() == 2, kClose);
  BOOST_TEST(statistics.strange() == 0U);
}

BOOST_AUTO_TEST_CASE(times_that_vary_wildly_all_count) {
  std::vector<double> times;
  for (int i = 0; i < 200; ++i) times.push_back(i % 2 == 0 ? 1 : 10);
  const TimeStatistics statistics = of(times);
  // The first few times differ so much that each one replaces the mean, so these times do not count.
  BOOST_TEST(statistics.mean_s() > 5);
  BOOST_TEST(statistics.mean_s() < 6);
  BOOST_TEST(statistics.count() > 190U);
  BOOST_TEST(statistics.deviation_s() > 4);
}

BOOST_AUTO_TEST_CASE(old_times_fade) {
  std::vector<double> times(1000, 1.0);
  times.insert(times.end(), 1000, 2.0);
  const TimeStatistics statistics = of(times);
  BOOST_TEST(statistics.count() == 2000U);
  BOOST_TEST(statistics.weight() == 100);
  // Each new time reduces the distance between the mean and 2 by a hundredth.
  BOOST_TEST(statistics.mean_s() == 2 - std::pow(0.99, 1000), kClose);
}

BOOST_AUTO_TEST_CASE(what_was_written_down_goes_on_as_if_it_had_not_been) {
  const TimeStatistics before = of({4, 2, 4, 4});
  TimeStatistics after(before.count(), before.mean_s(), before.deviation_s(), before.strange());
  for (const double time : {5, 5, 7, 9}) after.add(time);
  BOOST_TEST(after.mean_s() == 5, kClose);
  BOOST_TEST(after.deviation_s() == std::sqrt(32.0 / 7), kClose);
  BOOST_TEST(after.count() == 8U);
}

BOOST_AUTO_TEST_CASE(what_takes_no_time_is_a_time_too) {
  BOOST_TEST(of({0, 0, 0}).mean_s() == 0);
  BOOST_TEST(of({0, 0, 0}).count() == 3U);
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::scheduler
