#include "traces/text/human.hpp"

#include <boost/test/unit_test.hpp>
#include <limits>

namespace troupe::traces {

BOOST_AUTO_TEST_SUITE(human)

namespace {

BOOST_AUTO_TEST_CASE(seconds_take_the_unit_that_fits) {
  BOOST_TEST(human_seconds(0) == "0 s");
  BOOST_TEST(human_seconds(1.5e-9) == "1.50 ns");
  BOOST_TEST(human_seconds(999.6e-9) == "1.00 us");
  BOOST_TEST(human_seconds(0.0123) == "12.3 ms");
  BOOST_TEST(human_seconds(0.9994) == "999 ms");
  BOOST_TEST(human_seconds(0.9996) == "1.00 s");
  BOOST_TEST(human_seconds(9.999) == "10.0 s");
  BOOST_TEST(human_seconds(119.4) == "119 s");
  BOOST_TEST(human_seconds(125) == "2 min 05 s");
  BOOST_TEST(human_seconds(7260) == "2 h 01 min");
  BOOST_TEST(human_seconds(-0.5) == "-500 ms");
  BOOST_TEST(human_seconds(std::numeric_limits<double>::quiet_NaN()) == "?");
}

BOOST_AUTO_TEST_CASE(bytes_take_the_unit_that_fits) {
  BOOST_TEST(human_bytes({0}) == "0 B");
  BOOST_TEST(human_bytes({1023}) == "1023 B");
  BOOST_TEST(human_bytes({1536}) == "1.5 KiB");
  BOOST_TEST(human_bytes({1024 * 1024 - 1}) == "1.0 MiB");
  BOOST_TEST(human_bytes({std::numeric_limits<std::uint64_t>::max()}) == "16.0 EiB");
}

BOOST_AUTO_TEST_CASE(shares_of_teams_say_what_is_not_known) {
  using std::chrono::seconds;
  BOOST_TEST(human_team_use({}) == "-");
  BOOST_TEST(human_team_use({seconds(8), seconds(5), {}}) == "62.5 %");
  BOOST_TEST(human_team_use({seconds(8), seconds(0), {}}) == "0.0 %");
  BOOST_TEST(human_team_use({seconds(8), seconds(5), seconds(1)}) == "62.5 % + unknown");
  BOOST_TEST(human_team_use({{}, {}, seconds(1)}) == "unknown");
}

BOOST_AUTO_TEST_CASE(counts_are_grouped_by_thousands) {
  BOOST_TEST(human_count(0) == "0");
  BOOST_TEST(human_count(999) == "999");
  BOOST_TEST(human_count(1000) == "1,000");
  BOOST_TEST(human_count(12345678) == "12,345,678");
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::traces
