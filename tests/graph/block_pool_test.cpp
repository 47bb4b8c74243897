#include "graph/block_pool.hpp"

#include <boost/test/unit_test.hpp>
#include <condition_variable>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "tests/support/thread_checks.hpp"

namespace troupe::graph {
namespace {

struct Record {
  Record* next = nullptr;
  std::uint64_t owner = 0;
};

BOOST_AUTO_TEST_SUITE(block_pool)

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
  // What a cache may keep, and what one slab holds, besides the 500.
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

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace troupe::graph
