#include "graph/tasks/light_mutex.hpp"

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

namespace troupe::graph {

BOOST_AUTO_TEST_SUITE(light_mutex)

BOOST_AUTO_TEST_CASE(one_thread_at_a_time_has_it) {
  constexpr int kThreads = 4;
  constexpr std::int64_t kEach = 20'000;
  LightMutex mutex;
  std::int64_t count = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (std::int64_t j = 0; j < kEach; ++j) {
        const LockGuard lock(mutex);
        ++count;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  BOOST_TEST(count == kThreads * kEach);
}

/// All threads wait for the mutex before it is unlocked. After that, each unlock by one of the threads must wake the
/// next thread.
BOOST_AUTO_TEST_CASE(who_sleeps_for_it_is_woken) {
  constexpr int kThreads = 3;
  LightMutex mutex;
  int count = 0;
  std::vector<std::thread> threads;
  {
    const LockGuard lock(mutex);
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&] {
        const LockGuard own(mutex);
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        ++count;
      });
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    BOOST_TEST(count == 0);
  }
  for (std::thread& thread : threads) thread.join();
  BOOST_TEST(count == kThreads);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::graph
