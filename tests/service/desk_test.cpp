#include "service/desk.hpp"

#include <boost/test/unit_test.hpp>
#include <string>

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

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::service
