#include "service/desk.hpp"

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace troupe::service {

BOOST_AUTO_TEST_SUITE(desk)

namespace {

BOOST_AUTO_TEST_CASE(users_take_turns_and_one_who_asks_too_much_is_refused_alone) {
  std::string answered;
  {
    std::mutex busy;
    std::unique_lock lock(busy);
    Desk desk;
    std::condition_variable begun;
    std::mutex mutex;
    bool blocked = false;
    desk.ask(1, [&] {
      {
        const std::lock_guard said(mutex);
        blocked = true;
      }
      begun.notify_one();
      const std::lock_guard waits(busy);
    });
    {
      std::unique_lock wait(mutex);
      begun.wait(wait, [&] { return blocked; });
    }
    std::size_t asked = 0;
    while (desk.ask(1, [&] { answered += 'a'; })) ++asked;
    BOOST_TEST(asked == Desk::kMostWaiting);
    BOOST_TEST(desk.ask(2, [&] { answered += 'b'; }));
    lock.unlock();
  }
  BOOST_TEST(answered.size() == Desk::kMostWaiting + 1);
  BOOST_TEST(answered.find('b') <= 1U);
}

BOOST_AUTO_TEST_CASE(who_has_used_his_part_of_a_core_waits_and_others_do_not) {
  using Clock = std::chrono::steady_clock;
  using namespace std::chrono_literals;
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<std::pair<char, Clock::time_point>> answered;
  const auto note = [&](char who) {
    const std::lock_guard lock(mutex);
    answered.emplace_back(who, Clock::now());
    changed.notify_all();
  };
  const auto work = [&] {
    const Duration start = thread_time();
    while (thread_time() - start < 150ms) {
    }
    note('a');
  };
  const auto wait_for = [&](std::size_t count) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return answered.size() == count; });
  };
  Desk desk;
  // Two pieces of work exceed the time that a user may use at once by a tenth of a second. At the user's share of the
  // time, it takes a second until the third piece may run.
  for (int i = 0; i < 3; ++i) BOOST_TEST(desk.ask(1, work));
  wait_for(2);
  BOOST_TEST(desk.ask(2, [&] { note('b'); }));
  wait_for(4);
  BOOST_TEST(answered[2].first == 'b');
  BOOST_TEST((answered[3].second - answered[1].second > 600ms));
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::service
