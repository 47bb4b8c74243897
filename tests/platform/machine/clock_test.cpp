#include "platform/machine/clock.hpp"

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <thread>

namespace troupe::platform {

BOOST_AUTO_TEST_SUITE(clocks)

namespace {

using namespace std::chrono_literals;

BOOST_AUTO_TEST_CASE(the_steady_clock_runs_forward_in_real_time) {
  const SteadyClock clock;
  const TimeStamp before = clock.now();
  std::this_thread::sleep_for(2ms);
  BOOST_TEST((clock.now() - before >= 2ms));
  TimeStamp last = clock.now();
  for (int i = 0; i < 10000; ++i) {
    const TimeStamp now = clock.now();
    BOOST_TEST_REQUIRE((now >= last));
    last = now;
  }
}

BOOST_AUTO_TEST_CASE(the_manual_clock_stands_still_until_it_is_moved) {
  ManualClock clock(5us);
  const Clock& reader = clock;
  BOOST_TEST((reader.now() == 5us));
  clock.advance(3ns);
  BOOST_TEST((reader.now() == 5003ns));
  clock.set(1s);
  BOOST_TEST((reader.now() == 1s));
  clock.set(1s);
  clock.advance(0ns);
  BOOST_TEST((reader.now() == 1s));
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::platform
