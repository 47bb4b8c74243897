#include "graph/tasks/block_pool.hpp"

#include <boost/test/unit_test.hpp>
#include <condition_variable>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "proto/random.hpp"
#include "tests/support/thread_checks.hpp"

namespace troupe::graph {

BOOST_AUTO_TEST_SUITE(block_pool)

namespace {

struct Record {
  Record* next = nullptr;
  std::uint64_t owner = 0;
};

BOOST_AUTO_TEST_CASE(hands_out_every_object_once) {
  BlockPool<Record> pool;
  BlockPool<Record>::Cache cache;
  std::set<Record*> seen;
  for (int i = 0; i < 1000; ++i) BOOST_TEST_REQUIRE(seen.insert(pool.allocate(cache)).second);
}

BOOST_AUTO_TEST_CASE(uses_freed_objects_again_through_any_cache) {
  BlockPool<Record> pool;
  BlockPool<Record>::Cache mine;
  BlockPool<Record>::Cache yours;
  pool.prepare(yours);
  for (int round = 0; round < 100; ++round) {
    std::vector<Record*> objects;
    for (int i = 0; i < 500; ++i) objects.push_back(pool.allocate(mine));
    for (Record* object : objects) pool.free(yours, object);
  }
  // The limit includes the 500 objects, the free objects that a thread's cache may keep, and one slab.
  BOOST_TEST(pool.footprint() <= 5 * BlockPool<Record>::kSlab * (sizeof(Record) + 2 * sizeof(Record*)));
}

BOOST_AUTO_TEST_CASE(a_freed_object_keeps_its_members) {
  BlockPool<Record> pool;
  BlockPool<Record>::Cache cache;
  Record* object = pool.allocate(cache);
  object->owner = 42;
  pool.free(cache, object);
  BOOST_TEST(pool.allocate(cache) == object);
  BOOST_TEST(object->owner == 42U);
}

BOOST_AUTO_TEST_CASE(fresh_objects_come_in_the_order_of_their_addresses) {
  BlockPool<Record> pool;
  BlockPool<Record>::Cache cache;
  const Record* const first = pool.allocate(cache);
  BOOST_TEST_REQUIRE(pool.slabs().size() == 1U);
  BOOST_TEST(pool.slabs()[0] == first);
  for (std::size_t i = 1; i < BlockPool<Record>::kSlab; ++i) BOOST_TEST_REQUIRE(pool.allocate(cache) == first + i);
  BOOST_TEST(pool.slabs().size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_cache_keeps_two_magazines_and_gives_the_rest_to_others) {
  constexpr std::size_t kObjects = 3 * BlockPool<Record>::kSlab;
  BlockPool<Record> pool;
  BlockPool<Record>::Cache mine;
  BlockPool<Record>::Cache yours;
  std::vector<Record*> objects;
  for (std::size_t i = 0; i < kObjects; ++i) objects.push_back(pool.allocate(mine));
  const std::set<Record*> known(objects.begin(), objects.end());
  for (Record* object : objects) {
    pool.free(mine, object);
    BOOST_TEST_REQUIRE(mine.count() <= 2 * BlockPool<Record>::kBatch);
  }
  const std::size_t footprint = pool.footprint();
  for (std::size_t i = 0; i < kObjects - 2 * BlockPool<Record>::kBatch; ++i) {
    BOOST_TEST_REQUIRE(known.contains(pool.allocate(yours)));
  }
  BOOST_TEST(pool.slabs().size() == 3U);
  BOOST_TEST(pool.footprint() <= footprint + 2 * sizeof(BlockPool<Record>::Magazine));
}

BOOST_AUTO_TEST_CASE(random_allocations_and_frees_agree_with_a_model) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    Random random(seed);
    BlockPool<Record> pool;
    std::vector<BlockPool<Record>::Cache> caches(3);
    for (BlockPool<Record>::Cache& cache : caches) pool.prepare(cache);
    std::vector<Record*> used;
    std::set<Record*> seen;
    for (int i = 0; i < 5000; ++i) {
      BlockPool<Record>::Cache& cache = caches[random.below(3)];
      const bool grows = i / 800 % 2 == 0;
      if (random.below(10) < (grows ? 7U : 3U)) {
        Record* object = pool.allocate(cache);
        BOOST_TEST_REQUIRE(object->owner == 0U);
        object->owner = 1;
        used.push_back(object);
        seen.insert(object);
      } else if (!used.empty()) {
        std::swap(used.back(), used[random.below(static_cast<std::uint32_t>(used.size()))]);
        used.back()->owner = 0;
        pool.free(cache, used.back());
        used.pop_back();
      }
    }
    BOOST_TEST(seen.size() <= pool.slabs().size() * BlockPool<Record>::kSlab);
  }
}

BOOST_AUTO_TEST_CASE(one_thread_allocates_and_others_free) {
  tests::ThreadChecks checks;
  constexpr std::uint64_t kObjects = 20000;
  constexpr std::size_t kThreads = 3;
  BlockPool<Record> pool;
  std::mutex mutex;
  std::vector<Record*> queue;
  bool done = false;
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      BlockPool<Record>::Cache cache;
      pool.prepare(cache);
      while (true) {
        std::vector<Record*> mine;
        {
          const std::lock_guard lock(mutex);
          if (done && queue.empty()) return;
          mine.swap(queue);
        }
        if (mine.empty()) std::this_thread::yield();
        for (Record* object : mine) {
          checks.expect(object->owner != 0);
          object->owner = 0;
          pool.free(cache, object);
        }
      }
    });
  }
  BlockPool<Record>::Cache cache;
  for (std::uint64_t i = 1; i <= kObjects; ++i) {
    Record* object = pool.allocate(cache);
    checks.expect(object->owner == 0);
    object->owner = i;
    const std::lock_guard lock(mutex);
    queue.push_back(object);
  }
  {
    const std::lock_guard lock(mutex);
    done = true;
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::graph
