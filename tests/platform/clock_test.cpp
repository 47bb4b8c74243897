#include "platform/clock.hpp"

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <thread>

#include "platform/cycles.hpp"

namespace troupe::platform {
namespace {

using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(clocks)

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

BOOST_AUTO_TEST_CASE(rough_ticks_are_told_as_times_between_now_and_then) {
  const RoughClock rough;
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const TimeStamp before = SteadyClock().now();
  const std::uint64_t ticks = rough_ticks();
  const TimeStamp after = SteadyClock().now();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const TimeStamp told = rough.time_of(ticks);
  BOOST_TEST((told >= before - std::chrono::milliseconds(2)));
  BOOST_TEST((told <= after + std::chrono::milliseconds(2)));
  // What cannot be: before the clock was made, and a core whose counter is ahead.
  BOOST_TEST((rough.time_of(0) <= before));
  const TimeStamp ahead = rough.time_of(rough_ticks() + kRoughMicrosecond);
  BOOST_TEST((ahead <= SteadyClock().now()));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace troupe::platform
