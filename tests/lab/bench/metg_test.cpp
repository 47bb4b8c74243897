#include "lab/bench/metg.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>

namespace troupe::bench {

BOOST_AUTO_TEST_SUITE(metg)

namespace {

/// Returns a point of a runtime that adds `overhead_us` to every task. An iteration takes `us_per_iteration` of core
/// time. The METG(50%) of this runtime (its smallest task with 50 % efficiency) is twice the overhead.
CurvePoint point(double iterations, double overhead_us, double us_per_iteration) {
  const double work = iterations * us_per_iteration;
  return {iterations, work + overhead_us, work / (work + overhead_us)};
}

std::vector<CurvePoint> halving(double first, double overhead_us, double us_per_iteration) {
  std::vector<CurvePoint> curve;
  for (double iterations = first; iterations >= 1; iterations /= 2) {
    curve.push_back(point(iterations, overhead_us, us_per_iteration));
  }
  return curve;
}

BOOST_AUTO_TEST_CASE(constant_overhead_gives_twice_the_overhead) {
  for (const double overhead_us : {0.05, 0.3, 1.0, 7.0, 20.0}) {
    for (const double first : {100'000.0, 77'777.0, 65'536.0}) {
      const auto found = metg_of(halving(first, overhead_us, 0.001));
      BOOST_TEST_REQUIRE(found.has_value());
      BOOST_TEST(found->bounded);
      BOOST_TEST(std::abs(found->us - 2 * overhead_us) < 0.03 * overhead_us);
    }
  }
}

BOOST_AUTO_TEST_CASE(the_order_of_points_does_not_matter) {
  std::vector<CurvePoint> curve = halving(100'000, 1, 0.001);
  const double expected = metg_of(curve)->us;
  std::reverse(curve.begin(), curve.end());
  BOOST_TEST(metg_of(curve)->us == expected);
}

BOOST_AUTO_TEST_CASE(a_dip_above_the_crossing_is_no_crossing) {
  std::vector<CurvePoint> curve = halving(100'000, 1, 0.001);
  curve[1].efficiency = 0.3;
  BOOST_TEST(std::abs(metg_of(curve)->us - 2) < 0.05);
}

BOOST_AUTO_TEST_CASE(a_curve_that_stays_above_gives_an_upper_bound) {
  const auto found = metg_of(std::vector<CurvePoint>{{1000, 10, 0.9}, {500, 5.5, 0.8}});
  BOOST_TEST_REQUIRE(found.has_value());
  BOOST_TEST(!found->bounded);
  BOOST_TEST(found->us == 5.5);
}

BOOST_AUTO_TEST_CASE(a_curve_that_never_gets_there_gives_nothing) {
  BOOST_TEST(!metg_of(std::vector<CurvePoint>{{1000, 10, 0.4}}).has_value());
  BOOST_TEST(!metg_of({}).has_value());
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::bench
