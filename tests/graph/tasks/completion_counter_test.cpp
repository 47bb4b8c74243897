#include "graph/tasks/completion_counter.hpp"

#include <boost/test/unit_test.hpp>
#include <thread>
#include <vector>

#include "tests/support/thread_checks.hpp"

namespace troupe::graph {

BOOST_AUTO_TEST_SUITE(completion_counter)

namespace {

BOOST_AUTO_TEST_CASE(sums_the_counts_of_workers_and_others) {
  CompletionCounter counter(2);
  BOOST_TEST(counter.total() == 0U);
  BOOST_TEST(counter.outside() == 2U);
  BOOST_TEST(counter.count(0) == 1U);
  BOOST_TEST(counter.count(0) == 2U);
  BOOST_TEST(counter.count(1) == 1U);
  BOOST_TEST(counter.count(counter.outside()) == 1U);
  counter.publish(0);
  BOOST_TEST(counter.total() == 4U);
}

BOOST_AUTO_TEST_CASE(loses_nothing_among_threads) {
  tests::ThreadChecks checks;
  constexpr std::size_t kWorkers = 3;
  constexpr std::size_t kOthers = 3;
  constexpr std::uint64_t kEach = 20000;
  CompletionCounter counter(kWorkers);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < kWorkers + kOthers; ++i) {
    threads.emplace_back([&checks, &counter, slot = std::min(i, counter.outside())] {
      std::uint64_t last = 0;
      for (std::uint64_t k = 0; k < kEach; ++k) {
        counter.count(slot);
        const std::uint64_t total = counter.total();
        checks.expect(total > last);
        last = total;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  BOOST_TEST(counter.total() == (kWorkers + kOthers) * kEach);
}

BOOST_AUTO_TEST_CASE(who_has_seen_the_count_has_seen_the_effects) {
  tests::ThreadChecks checks;
  CompletionCounter counter(1);
  std::vector<int> data(1000, 0);
  std::thread worker([&] {
    for (int& value : data) {
      value = 1;
      counter.count(0);
    }
  });
  std::uint64_t seen = 0;
  while (seen < data.size()) {
    seen = counter.total();
    if (seen > 0) checks.expect(data[seen - 1] == 1);
  }
  worker.join();
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::graph
