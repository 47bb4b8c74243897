#include "actors/observation/watchdog.hpp"

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <stdexcept>
#include <thread>

namespace troupe::observation {

BOOST_AUTO_TEST_SUITE(watchdog)

namespace {

using namespace std::chrono_literals;

BOOST_AUTO_TEST_CASE(it_speaks_once_per_stall_then_at_growing_intervals) {
  StallDetector detector(10s);
  const Pulse still{7, 3};
  BOOST_TEST((detector.beat(still, 100s) == 0s));
  BOOST_TEST((detector.beat(still, 109s) == 0s));
  BOOST_TEST((detector.beat(still, 110s) == 10s));
  BOOST_TEST((detector.beat(still, 119s) == 0s));
  BOOST_TEST((detector.beat(still, 120s) == 20s));
  BOOST_TEST((detector.beat(still, 139s) == 0s));
  BOOST_TEST((detector.beat(still, 140s) == 40s));
}

BOOST_AUTO_TEST_CASE(progress_however_slow_is_no_stall_and_ends_one) {
  StallDetector detector(10s);
  for (int i = 0; i < 20; ++i) {
    BOOST_TEST((detector.beat({static_cast<std::uint64_t>(i), 3}, std::chrono::seconds(9 * i)) == 0s));
  }
  BOOST_TEST((detector.beat({19, 3}, 181s) == 10s));
  BOOST_TEST((detector.beat({20, 3}, 182s) == 0s));
  BOOST_TEST((detector.beat({20, 3}, 191s) == 0s));
  BOOST_TEST((detector.beat({20, 3}, 192s) == 10s));
}

BOOST_AUTO_TEST_CASE(nothing_in_flight_is_no_stall) {
  StallDetector detector(1s);
  for (int i = 0; i < 10; ++i) BOOST_TEST((detector.beat({5, 0}, std::chrono::seconds(10 * i)) == 0s));
  BOOST_TEST((detector.beat({5, 1}, 90500ms) == 0s));
  BOOST_TEST((detector.beat({5, 1}, 91499ms) == 0s));
}

BOOST_AUTO_TEST_CASE(it_calls_the_sink_and_survives_what_the_sink_throws) {
  std::atomic<int> calls{0};
  {
    const Watchdog dog({2ms,
                        [] {
                          return Pulse{1, 1};
                        },
                        [&](Duration quiet) {
                          if (quiet >= 2ms) ++calls;
                          throw std::runtime_error("the sink is broken");
                        }});
    for (int i = 0; i < 5000 && calls < 2; ++i) std::this_thread::sleep_for(1ms);
  }
  BOOST_TEST(calls >= 2);
}

BOOST_AUTO_TEST_CASE(it_stops_at_once_however_long_it_was_to_wait) {
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 50; ++i) {
    const Watchdog dog({1h, [] { return Pulse{}; }, [](Duration) {}});
  }
  BOOST_TEST((std::chrono::steady_clock::now() - begin < 20s));
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::observation
