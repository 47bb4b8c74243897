#include "actors/scheduler/models/power_law.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <optional>
#include <vector>

namespace troupe::scheduler {

BOOST_AUTO_TEST_SUITE(power_law)

namespace {

const auto kClose = boost::test_tools::tolerance(1e-3);

struct SizedTime {
  double size = 0;
  double time_s = 0;
  double weight = 1;
};
using Times = std::vector<SizedTime>;

std::optional<PowerLaw> law_of(const Times& times) {
  TimeLaw law;
  for (const SizedTime& time : times) law.add(TaskMeasures{.size = time.size}, time.time_s, time.weight);
  return power_law_through(law.sums());
}

BOOST_AUTO_TEST_CASE(through_two_points) {
  // The times are 8 at size 2 and 64 at size 4, so they follow t = s^3.
  const auto law = law_of(Times{{2, 8}, {4, 64}});
  BOOST_REQUIRE(law.has_value());
  BOOST_TEST(law->exponent == 3, kClose);
  BOOST_TEST(law->factor_s == 1, kClose);
  BOOST_TEST(law->at(3).value() == 27, kClose);
}

BOOST_AUTO_TEST_CASE(least_squares_of_logarithms_count_weights) {
  // The first time of each size has a quarter of the weight. In logarithms to base 2 the points are (0, 0), (1, 1)
  // twice and (2, 1). Their means are 1 and 3/4; the slope is (3/4 + 0 + 1/4) / 2.
  const auto law = law_of(Times{{1, 1}, {2, 2, 0.5}, {4, 2, 0.25}});
  BOOST_REQUIRE(law.has_value());
  BOOST_TEST(law->exponent == 0.5, kClose);
  BOOST_TEST(law->factor_s == std::exp2(0.25), kClose);
}

BOOST_AUTO_TEST_CASE(it_says_nothing_outside_of_what_was_measured) {
  const auto law = law_of(Times{{2, 2}, {4, 4}});
  BOOST_TEST(law->at(2).has_value());
  BOOST_TEST(law->at(4).has_value());
  BOOST_TEST(!law->at(1.9).has_value());
  BOOST_TEST(!law->at(4.1).has_value());
}

BOOST_AUTO_TEST_CASE(sizes_that_are_near_to_one_another_say_nothing) {
  BOOST_TEST(!law_of({}).has_value());
  BOOST_TEST(!law_of(Times{{2, 2}}).has_value());
  BOOST_TEST(!law_of(Times{{2, 2}, {2, 3}}).has_value());
  BOOST_TEST(!law_of(Times{{2, 2}, {2.9, 2.9}}).has_value());
  BOOST_TEST(law_of(Times{{2, 2}, {3, 3}}).has_value());
}

BOOST_AUTO_TEST_CASE(absurd_exponents_are_refused) {
  BOOST_TEST(law_of(Times{{1, 1}, {2, 1}}).has_value());
  BOOST_TEST(!law_of(Times{{1, 1}, {2, 0.9}}).has_value());
  BOOST_TEST(!law_of(Times{{1, 1}, {2, 8.5}}).has_value());
}

BOOST_AUTO_TEST_CASE(times_that_do_not_depend_on_size_are_refused) {
  // At each size the times are 1 and 9 times a factor, so each time is off by a factor of 3 from the best law.
  BOOST_TEST(!law_of(Times{{1, 1}, {1, 9}, {4, 4}, {4, 36}}).has_value());
  BOOST_TEST(law_of(Times{{1, 1}, {1, 2}, {4, 4}, {4, 8}}).has_value());
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::scheduler
