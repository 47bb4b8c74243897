#include "client/environment/durations.hpp"

#include <boost/test/unit_test.hpp>
#include <chrono>

namespace troupe::tests {

BOOST_AUTO_TEST_SUITE(duration)

namespace {

using namespace std::chrono_literals;

BOOST_AUTO_TEST_CASE(numbers_with_a_unit_are_understood) {
  BOOST_TEST((parse_duration("5s") == Duration(5s)));
  BOOST_TEST((parse_duration("500ms") == Duration(500ms)));
  BOOST_TEST((parse_duration("2m") == Duration(2min)));
  BOOST_TEST((parse_duration("1h") == Duration(1h)));
  BOOST_TEST((parse_duration("0.5s") == Duration(500ms)));
}

BOOST_AUTO_TEST_CASE(everything_else_is_refused) {
  for (const char* text : {"", "5", "s", "5x", "5 s", "-5s", "+5s", "0s", "0.0ms", "5ss", "1e3s", "nans", "1..5s",
                           "99999h", "999999999999999999999s", "0.0000000001s"}) {
    BOOST_TEST(!parse_duration(text).has_value(), text);
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
