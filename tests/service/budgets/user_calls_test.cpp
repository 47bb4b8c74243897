// Tests the limits on each user's rates, calls and processor time. The time in these tests does not pass by itself.
#include "service/budgets/user_calls.hpp"

#include <boost/test/unit_test.hpp>

#include "service/budgets/user_time.hpp"
#include "tests/support/temporary_folder.hpp"

namespace troupe::service {

BOOST_AUTO_TEST_SUITE(user_calls)

namespace {

using namespace std::chrono_literals;
using tests::contains;

constexpr std::uint32_t kA = 1000;
constexpr std::uint32_t kB = 1001;
const UserCalls::Clock::time_point kStart{1h};

BOOST_AUTO_TEST_CASE(who_calls_too_often_waits_for_himself) {
  UserRates rates(10, 20);
  for (int i = 0; i < 20; ++i) BOOST_TEST((rates.try_take(kA, kStart) == kStart));
  BOOST_TEST((rates.try_take(kA, kStart) == kStart + 100ms));
  BOOST_TEST((rates.try_take(kB, kStart) == kStart));
  BOOST_TEST((rates.try_take(kA, kStart + 100ms) == kStart + 100ms));
  BOOST_TEST((rates.try_take(kA, kStart + 100ms) > kStart + 100ms));
  // After a pause of any length, at most one burst of calls is free.
  int free = 0;
  while (rates.try_take(kA, kStart + 1h) == kStart + 1h) ++free;
  BOOST_TEST(free == 20);
}

BOOST_AUTO_TEST_CASE(who_goes_on_calling_loses_the_connection) {
  UserCalls calls({.per_second = 100});
  for (int i = 0; i < 100; ++i) {
    BOOST_TEST(!calls.begin(kA, kStart));
    calls.done(kA, 0);
  }
  const auto refused = calls.begin(kA, kStart);
  BOOST_REQUIRE(refused.has_value());
  BOOST_TEST(contains(refused->why.message, "user 1000 makes more than 100 calls a second (limits.calls_per_s)"));
  BOOST_TEST(!refused->ends_connection);
  bool ended = false;
  for (int i = 0; i < 100; ++i) ended = calls.begin(kA, kStart)->ends_connection;
  BOOST_TEST(ended);
  BOOST_TEST(!calls.begin(kB, kStart));
  BOOST_TEST(!calls.begin(kA, kStart + 1s));
}

BOOST_AUTO_TEST_CASE(who_has_used_up_his_calls_should_not_bring_more) {
  UserCalls calls({.per_second = 10, .unread = {1000}, .most_open = 8});
  for (int i = 0; i < 10; ++i) {
    BOOST_TEST((calls.ready_at(kA, kStart) == kStart));
    BOOST_TEST(!calls.begin(kA, kStart));
    calls.done(kA, 0);
  }
  BOOST_TEST((calls.ready_at(kA, kStart) == kStart + 100ms));
  // Refused calls count, too.
  for (int i = 0; i < 20; ++i) BOOST_TEST(calls.begin(kA, kStart).has_value());
  BOOST_TEST((calls.ready_at(kA, kStart) == kStart + 2100ms));
  for (int i = 0; i < 1000; ++i) (void)calls.begin(kA, kStart);
  BOOST_TEST((calls.ready_at(kA, kStart) <= kStart + 11s));
  BOOST_TEST((calls.ready_at(kB, kStart) == kStart));
  // Unread replies count towards the limit. Calls that have not been answered yet count, too.
  BOOST_TEST(!calls.begin(kB, kStart));
  calls.answered(kB, 501);
  BOOST_TEST((calls.ready_at(kB, kStart) > kStart));
  calls.done(kB, 501);
  for (int i = 0; i < 5; ++i) BOOST_TEST(!calls.begin(kB, kStart));
  BOOST_TEST((calls.ready_at(kB, kStart) > kStart));
  calls.done(kB, 0);
  BOOST_TEST((calls.ready_at(kB, kStart) == kStart));
}

BOOST_AUTO_TEST_CASE(answers_that_are_not_read_and_calls_that_are_open_have_limits) {
  UserCalls calls({.per_second = 1e6, .unread = {1000}, .most_open = 3});
  BOOST_TEST(!calls.begin(kA, kStart));
  calls.answered(kA, 1500);
  const auto unread = calls.begin(kA, kStart);
  BOOST_REQUIRE(unread.has_value());
  BOOST_TEST(contains(unread->why.message, "(limits.unread_answers)"));
  BOOST_TEST(!calls.begin(kB, kStart));
  calls.done(kA, 1500);
  for (int i = 0; i < 3; ++i) BOOST_TEST(!calls.begin(kA, kStart));
  const auto open = calls.begin(kA, kStart);
  BOOST_REQUIRE(open.has_value());
  BOOST_TEST(contains(open->why.message, "3 calls of user 1000"));
  calls.done(kA, 0);
  BOOST_TEST(!calls.begin(kA, kStart));
}

BOOST_AUTO_TEST_CASE(time_that_was_used_beyond_a_share_is_waited_for) {
  UserTime time(0.25, 100ms);
  BOOST_TEST((time.ready_at(kA, kStart) == kStart));
  time.spend(kA, 150ms, kStart);
  BOOST_TEST((time.ready_at(kA, kStart) == kStart + 200ms));
  BOOST_TEST((time.ready_at(kB, kStart) == kStart));
  BOOST_TEST((time.ready_at(kA, kStart + 200ms) == kStart + 200ms));
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::service
