#include "actors/workers/queues/doorbell.hpp"

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <thread>

namespace troupe::workers {

BOOST_AUTO_TEST_SUITE(doorbell)

namespace {

/// Returns true if a thread that waits at the bell sleeps until the bell is rung.
bool keeps_waiting(Doorbell& bell) {
  std::atomic<bool> woken{false};
  std::thread sleeper([&] {
    bell.wait();
    woken = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const bool too_early = woken;
  bell.ring();
  sleeper.join();
  return !too_early;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_ring_before_the_wait_is_kept_and_several_are_one) {
  Doorbell bell;
  bell.ring();
  bell.ring();
  bell.wait();
  BOOST_TEST(keeps_waiting(bell));
}

BOOST_AUTO_TEST_CASE(clearing_forgets_what_it_was_rung_for) {
  Doorbell bell;
  bell.clear();
  bell.ring();
  bell.clear();
  BOOST_TEST(keeps_waiting(bell));
}

BOOST_AUTO_TEST_CASE(no_ring_is_missed) {
  Doorbell bell;
  Doorbell answer;
  constexpr int kRounds = 20'000;
  std::atomic<int> seen{0};
  std::thread other([&] {
    for (int i = 0; i < kRounds; ++i) {
      bell.wait();
      seen = i + 1;
      answer.ring();
    }
  });
  for (int i = 0; i < kRounds; ++i) {
    bell.ring();
    answer.wait();
  }
  other.join();
  BOOST_TEST(seen == kRounds);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::workers
