#include "actors/workers/queues/idle_set.hpp"

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <thread>
#include <vector>

#include "proto/random.hpp"

namespace troupe::workers {

BOOST_AUTO_TEST_SUITE(idle_set)

namespace {

WorkerId worker(std::size_t index) { return WorkerId(static_cast<std::uint32_t>(index)); }

BOOST_AUTO_TEST_CASE(nobody_is_idle_at_first) {
  IdleSet idle(3);
  BOOST_TEST(idle.empty());
  BOOST_TEST(!idle.take(0).valid());
  BOOST_TEST(!idle.erase(worker(1)));
}

BOOST_AUTO_TEST_CASE(an_idle_worker_is_erased_once) {
  IdleSet idle(3);
  idle.insert(worker(1));
  idle.insert(worker(1));
  BOOST_TEST(idle.contains(worker(1)));
  BOOST_TEST(!idle.contains(worker(0)));
  BOOST_TEST(idle.erase(worker(1)));
  BOOST_TEST(!idle.erase(worker(1)));
  BOOST_TEST(idle.empty());
}

BOOST_AUTO_TEST_CASE(the_first_at_or_after_the_start_is_taken_in_cyclic_order) {
  IdleSet idle(5);
  for (const std::size_t i : {0U, 2U, 4U}) idle.insert(worker(i));
  BOOST_TEST((idle.take(2) == worker(2)));
  BOOST_TEST((idle.take(2) == worker(4)));
  BOOST_TEST((idle.take(2) == worker(0)));
  BOOST_TEST(!idle.take(2).valid());
}

BOOST_AUTO_TEST_CASE(more_workers_than_bits_in_a_word) {
  for (const std::size_t workers : {1U, 63U, 64U, 65U, 128U, 129U, 1000U}) {
    IdleSet idle(workers);
    for (std::size_t i = 0; i < workers; ++i) idle.insert(worker(i));
    for (std::size_t i = 0; i < workers; ++i) {
      BOOST_TEST_REQUIRE((idle.take(workers / 2) == worker((workers / 2 + i) % workers)));
    }
    BOOST_TEST(idle.empty());
  }
}

/// Each worker enters the set of idle workers once per round, and several threads take workers out. No worker is taken
/// twice, and no worker is lost.
BOOST_AUTO_TEST_CASE(every_insertion_is_taken_exactly_once) {
  constexpr std::size_t kWorkers = 130;
  constexpr std::size_t kRounds = 300;
  IdleSet idle(kWorkers);
  std::vector<std::atomic<std::size_t>> inserted(kWorkers);
  std::vector<std::atomic<std::size_t>> taken(kWorkers);
  std::atomic<std::size_t> total{0};
  std::atomic<bool> early{false};
  const auto inserter = [&](std::size_t first) {
    for (std::size_t round = 1; round <= kRounds; ++round) {
      for (std::size_t i = first; i < kWorkers; i += 2) {
        while (taken[i].load() + 1 < round) std::this_thread::yield();
        inserted[i].store(round);
        idle.insert(worker(i));
      }
    }
  };
  const auto taker = [&](std::uint64_t seed) {
    Random random(seed);
    while (total.load() < kWorkers * kRounds) {
      WorkerId one = worker(random.below(kWorkers));
      if (random.below(4) != 0) {
        one = idle.take(one.index());
      } else if (!idle.erase(one)) {
        one = WorkerId{};
      }
      if (!one.valid()) {
        std::this_thread::yield();
        continue;
      }
      if (taken[one.index()].fetch_add(1) + 1 > inserted[one.index()].load()) early = true;
      total.fetch_add(1);
    }
  };
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < 2; ++i) threads.emplace_back(inserter, i);
  for (std::uint64_t seed = 1; seed <= 2; ++seed) threads.emplace_back(taker, seed);
  for (std::thread& thread : threads) thread.join();
  BOOST_TEST(!early);
  BOOST_TEST(idle.empty());
  for (const auto& count : taken) BOOST_TEST_REQUIRE(count == kRounds);
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::workers
