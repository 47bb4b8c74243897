#include "proto/amdahl.hpp"

#include <boost/test/unit_test.hpp>
#include <vector>

namespace troupe {
namespace {

BOOST_AUTO_TEST_SUITE(amdahl, *boost::unit_test::tolerance(1e-9))

BOOST_AUTO_TEST_CASE(a_law_passes_through_two_points) {
  // The time on one core is 105. A part of 5 remains on any number of cores, and a part of 100 is divided by the number
  // of cores.
  const std::vector<TimeOnCores> times{{1, 105}, {10, 15}};
  const AmdahlLaw law = fit_amdahl(times).value();
  BOOST_TEST(law.fixed == 5.0);
  BOOST_TEST(law.shared == 100.0);
  BOOST_TEST(law.at(4) == 30.0);
  BOOST_TEST(law.at(20) == 10.0);
}

BOOST_AUTO_TEST_CASE(one_number_of_cores_says_nothing_of_others) {
  BOOST_TEST(!fit_amdahl({}).has_value());
  const std::vector<TimeOnCores> times{{4, 30}, {4, 32}};
  BOOST_TEST(!fit_amdahl(times).has_value());
}

BOOST_AUTO_TEST_CASE(no_part_of_the_time_is_negative) {
  // Amdahl's law cannot describe these two kernels: one is three times as fast on two cores, the other slower than on
  // one.
  const std::vector<TimeOnCores> faster{{1, 90}, {2, 30}};
  BOOST_TEST(fit_amdahl(faster).value().fixed == 0.0);
  BOOST_TEST(fit_amdahl(faster).value().at(1) < 90);
  BOOST_TEST(fit_amdahl(faster).value().at(2) > 30);
  const std::vector<TimeOnCores> slower{{1, 10}, {2, 12}};
  BOOST_TEST(fit_amdahl(slower).value().shared == 0.0);
  BOOST_TEST(fit_amdahl(slower).value().at(64) > 10);
  BOOST_TEST(fit_amdahl(slower).value().at(64) < 12);
}

BOOST_AUTO_TEST_CASE(a_point_that_is_off_counts_among_the_others) {
  std::vector<TimeOnCores> times{{1, 105}, {2, 55}, {10, 15}};
  BOOST_TEST(fit_amdahl(times).value().at(5) == 25.0);
  times[1].time = 70;
  BOOST_TEST(fit_amdahl(times).value().at(2) > 55);
  BOOST_TEST(fit_amdahl(times).value().at(2) < 70);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace troupe
