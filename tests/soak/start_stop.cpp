/// Starts and stops runtimes some thousand times, with different options and different numbers of tasks.
#include <algorithm>
#include <atomic>
#include <boost/test/unit_test.hpp>
#include <string>
#include <thread>
#include <vector>

#include "tests/soak/arguments.hpp"
#include "troupe/runtime.hpp"

namespace troupe {
namespace {

RuntimeOptions options_of(int round) {
  RuntimeOptions options;
  options.cores = 1 + round % 5;
  options.threads.oversubscribe = true;
  options.policy = std::vector<std::string>{"lws", "ws", "eager"}[round % 3];
  options.window = round % 7 == 0 ? 3 : 65536;
  options.trace = round % 4 == 0;
  return options;
}

BOOST_AUTO_TEST_SUITE(start_stop)

BOOST_AUTO_TEST_CASE(two_thousand_times) {
  const int rounds = static_cast<int>(std::max<std::uint64_t>(2000, tests::seeds(10'000) / 5));
  const tests::Alarm alarm(std::chrono::minutes(30));
  std::atomic<std::int64_t> ran{0};
  std::int64_t expected = 0;
  const Codelet count = Codelet("count", {}).cpu([&](const KernelContext&) { ++ran; });
  for (int round = 0; round < rounds; ++round) {
    Runtime runtime(options_of(round));
    const int tasks = round % 11;
    for (int i = 0; i < tasks; ++i) runtime.submit(count, {});
    expected += tasks;
    if (round % 3 == 0) runtime.wait();
    if (round % 5 == 0) runtime.stop();
  }
  BOOST_TEST(ran == expected);
}

BOOST_AUTO_TEST_CASE(by_several_threads_at_once) {
  const tests::Alarm alarm(std::chrono::minutes(30));
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int round = 0; round < 250; ++round) {
        std::int64_t value = 0;
        {
          Runtime runtime(options_of(round + t));
          const Data data = runtime.scalar(value);
          const Codelet add = Codelet("add", {AccessMode::commute}).cpu([](std::int64_t& x) { ++x; });
          for (int i = 0; i < 50; ++i) runtime.submit(add, {data});
        }
        if (value != 50) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  BOOST_TEST(wrong == 0);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace troupe
