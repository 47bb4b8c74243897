#include "actors/workers/deciding/arrival_clock.hpp"

#include <boost/test/unit_test.hpp>
#include <chrono>

namespace troupe::workers {

BOOST_AUTO_TEST_SUITE(arrival_clock)

namespace {

BOOST_AUTO_TEST_CASE(a_worker_looks_again_when_some_time_has_passed) {
  constexpr int kLooks = 1000;
  ArrivalClock clock(false);
  const auto begin = std::chrono::steady_clock::now();
  for (int looks = 0; looks < kLooks;) looks += clock.next_task() && clock.may_look() ? 1 : 0;
  // The tick counter's microsecond is a rough one.
  BOOST_TEST((std::chrono::steady_clock::now() - begin > std::chrono::nanoseconds(300) * (kLooks - 1)));
  BOOST_TEST((clock.coarse() > TimeStamp{}));
}

BOOST_AUTO_TEST_CASE(a_worker_that_always_looks_reads_no_clock) {
  ArrivalClock clock(true);
  for (int i = 0; i < 3; ++i) {
    BOOST_TEST(clock.next_task());
    BOOST_TEST(clock.may_look());
  }
  BOOST_TEST((clock.coarse() == TimeStamp{}));
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::workers
