#include "platform/virtual/virtual_time.hpp"

#include <algorithm>
#include <array>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <memory>
#include <random>
#include <stdexcept>
#include <vector>

namespace troupe::platform {

BOOST_AUTO_TEST_SUITE(virtual_time)

namespace {

using namespace std::chrono_literals;

BOOST_AUTO_TEST_CASE(events_are_called_at_their_times_in_order) {
  VirtualTime time;
  std::vector<TimeStamp> called;
  for (const Duration delay : {30ns, 10ns, 20ns, 0ns}) {
    time.after(delay, [&] { called.push_back(time.now()); });
  }
  BOOST_TEST(time.pending() == 4U);
  BOOST_TEST((time.next() == TimeStamp(0)));
  while (time.advance()) {
  }
  BOOST_TEST((called == std::vector<TimeStamp>{0ns, 10ns, 20ns, 30ns}));
  BOOST_TEST((time.clock().now() == 30ns));
  BOOST_TEST(!time.next().has_value());
  BOOST_TEST(!time.advance());
  BOOST_TEST((time.now() == 30ns));
}

BOOST_AUTO_TEST_CASE(events_of_one_time_are_called_in_the_order_in_which_they_were_asked_for) {
  VirtualTime time(5s);
  std::vector<int> called;
  for (int i = 0; i < 100; ++i) {
    time.at(i % 2 == 0 ? 6s : 7s, [&called, i] { called.push_back(i); });
  }
  while (time.advance()) {
  }
  BOOST_TEST_REQUIRE(called.size() == 100U);
  for (int i = 0; i < 50; ++i) {
    BOOST_TEST(called[i] == 2 * i);
    BOOST_TEST(called[50 + i] == 2 * i + 1);
  }
}

BOOST_AUTO_TEST_CASE(an_event_may_ask_for_another_at_the_same_time_which_comes_last) {
  VirtualTime time;
  std::vector<char> called;
  time.after(1ns, [&] {
    called.push_back('a');
    time.after(0ns, [&] { called.push_back('c'); });
  });
  time.after(1ns, [&] { called.push_back('b'); });
  while (time.advance()) {
  }
  BOOST_TEST((called == std::vector<char>{'a', 'b', 'c'}));
  BOOST_TEST((time.now() == 1ns));
}

BOOST_AUTO_TEST_CASE(a_cancelled_event_is_destroyed_and_never_called) {
  VirtualTime time;
  const auto held = std::make_shared<int>(0);
  const EventId id = time.after(1ns, [held] { ++*held; });
  BOOST_TEST(held.use_count() == 2);
  BOOST_TEST(time.cancel(id));
  BOOST_TEST(held.use_count() == 1);
  BOOST_TEST(!time.cancel(id));
  BOOST_TEST(time.pending() == 0U);
  BOOST_TEST(!time.advance());
  BOOST_TEST((time.now() == 0ns));
}

BOOST_AUTO_TEST_CASE(the_id_of_a_past_event_does_not_cancel_the_next_one_in_its_place) {
  VirtualTime time;
  const EventId first = time.after(1ns, [] {});
  time.advance();
  bool called = false;
  time.after(1ns, [&] { called = true; });
  BOOST_TEST(!time.cancel(first));
  BOOST_TEST(!time.cancel(EventId{}));
  BOOST_TEST(time.advance());
  BOOST_TEST(called);
}

BOOST_AUTO_TEST_CASE(an_event_cannot_cancel_itself_while_it_is_called) {
  VirtualTime time;
  EventId id;
  bool cancelled = true;
  id = time.after(1ns, [&] { cancelled = time.cancel(id); });
  BOOST_TEST(time.advance());
  BOOST_TEST(!cancelled);
}

BOOST_AUTO_TEST_CASE(what_an_event_throws_comes_out_and_the_queue_goes_on) {
  VirtualTime time;
  bool called = false;
  time.after(1ns, [] { throw std::runtime_error("broken"); });
  time.after(2ns, [&] { called = true; });
  BOOST_CHECK_THROW(time.advance(), std::runtime_error);
  BOOST_TEST(time.advance());
  BOOST_TEST(called);
}

BOOST_AUTO_TEST_CASE(events_may_own_what_can_only_be_moved_and_be_larger_than_the_inline_room) {
  VirtualTime time;
  int sum = 0;
  time.after(1ns, [&sum, value = std::make_unique<int>(3)] { sum += *value; });
  std::array<int, 100> large{};
  large.back() = 4;
  time.after(2ns, [&sum, large, value = std::make_unique<int>(5)] { sum += large.back() + *value; });
  while (time.advance()) {
  }
  BOOST_TEST(sum == 12);
}

// Random events are added and cancelled. The heap with its slots must give the order that a simple sorted list gives.
BOOST_AUTO_TEST_CASE(random_events_and_cancellations_agree_with_a_sorted_list) {
  constexpr unsigned kSeed = 20260101;
  BOOST_TEST_MESSAGE("seed " << kSeed);
  std::mt19937 random(kSeed);
  VirtualTime time;
  struct Expected {
    TimeStamp when;
    int number;
    EventId id;
  };
  std::vector<Expected> expected;
  int called = -1;
  for (int i = 0; i < 20000; ++i) {
    const auto what = random() % 8;
    if (what < 4) {
      const TimeStamp when = time.now() + Duration(random() % 50);
      expected.push_back({when, i, time.at(when, [&called, i] { called = i; })});
    } else if (what == 4 && !expected.empty()) {
      const auto victim = expected.begin() + static_cast<std::ptrdiff_t>(random() % expected.size());
      BOOST_TEST_REQUIRE(time.cancel(victim->id));
      expected.erase(victim);
    } else if (what > 4 && !expected.empty()) {
      const auto first = std::min_element(expected.begin(), expected.end(), [](const auto& a, const auto& b) {
        return a.when != b.when ? a.when < b.when : a.number < b.number;
      });
      BOOST_TEST_REQUIRE(time.advance());
      BOOST_TEST_REQUIRE(called == first->number);
      BOOST_TEST_REQUIRE((time.now() == first->when));
      expected.erase(first);
    }
    BOOST_TEST_REQUIRE(time.pending() == expected.size());
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::platform
