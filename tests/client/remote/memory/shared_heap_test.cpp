#include "client/remote/memory/shared_heap.hpp"

#include <boost/test/unit_test.hpp>
#include <cstring>
#include <random>
#include <vector>

#include "tests/client/remote/scripted_service.hpp"

namespace troupe::tests {

namespace shared_heap {

using remote::SharedHeap;

struct Fixture {
  std::shared_ptr<ScriptedMemory::Account> account = std::make_shared<ScriptedMemory::Account>();
  SharedHeap heap{std::make_unique<ScriptedMemory>(account)};

  std::shared_ptr<std::byte> take(std::uint64_t size) { return heap.allocate({size}).value_or_throw(); }
};

}  // namespace shared_heap

BOOST_FIXTURE_TEST_SUITE(shared_heap, Fixture)

BOOST_AUTO_TEST_CASE(small_blocks_share_a_segment_and_do_not_overlap) {
  std::vector<std::shared_ptr<std::byte>> blocks;
  for (int i = 0; i < 1000; ++i) {
    blocks.push_back(take(static_cast<std::uint64_t>(i)));
    BOOST_TEST(reinterpret_cast<std::uintptr_t>(blocks.back().get()) % 64 == 0U);
    std::memset(blocks.back().get(), i % 251, static_cast<std::size_t>(i));
  }
  BOOST_TEST(heap.segments() == 1U);
  for (int i = 0; i < 1000; ++i) {
    for (int k = 0; k < i; ++k) BOOST_REQUIRE(blocks[i].get()[k] == static_cast<std::byte>(i % 251));
  }
}

BOOST_AUTO_TEST_CASE(a_large_block_has_a_segment_of_its_own_which_goes_with_it) {
  const auto small = take(100);
  {
    const auto large = take(SharedHeap::kLarge.count);
    BOOST_TEST(heap.segments() == 2U);
    const auto there = heap.find(large.get() + 5, {SharedHeap::kLarge.count - 5});
    BOOST_REQUIRE(there.has_value());
    BOOST_TEST(there->offset == 5U);
    BOOST_TEST(there->segment != heap.find(small.get(), {100})->segment);
  }
  BOOST_TEST(heap.segments() == 1U);
}

BOOST_AUTO_TEST_CASE(what_lies_outside_or_crosses_an_end_is_not_found) {
  const auto block = take(SharedHeap::kLarge.count);
  std::byte own{};
  BOOST_TEST(!heap.find(&own, {1}).has_value());
  BOOST_TEST(!heap.find(nullptr, {1}).has_value());
  BOOST_TEST(!heap.find(block.get(), {SharedHeap::kLarge.count + 1}).has_value());
  BOOST_TEST(!heap.find(block.get() + SharedHeap::kLarge.count, {1}).has_value());
  BOOST_TEST(heap.find(block.get() + SharedHeap::kLarge.count - 1, {1}).has_value());
}

BOOST_AUTO_TEST_CASE(freed_neighbours_are_one_piece_again) {
  const std::uint64_t third = SharedHeap::kSmallestArena.count / 4;
  auto a = take(third);
  auto b = take(third);
  auto c = take(third);
  const auto d = take(third);
  BOOST_TEST(heap.segments() == 1U);
  std::byte* const begin = a.get();
  a.reset();
  c.reset();
  b.reset();
  const auto all = take(3 * third);
  BOOST_TEST(all.get() == begin);
  BOOST_TEST(heap.segments() == 1U);
}

BOOST_AUTO_TEST_CASE(random_use_gives_everything_back) {
  std::mt19937_64 random(17);
  std::vector<std::pair<std::shared_ptr<std::byte>, std::size_t>> blocks;
  for (int step = 0; step < 5000; ++step) {
    if (blocks.empty() || random() % 5 < 3) {
      const std::size_t size = random() % 100 == 0 ? (std::size_t{17} << 20U) : random() % 100'000;
      blocks.emplace_back(take(size), size);
      std::memset(blocks.back().first.get(), static_cast<int>(size % 255), std::min<std::size_t>(size, 64));
    } else {
      std::swap(blocks[random() % blocks.size()], blocks.back());
      const auto& [block, size] = blocks.back();
      for (std::size_t i = 0; i < std::min<std::size_t>(size, 64); ++i) {
        BOOST_REQUIRE(block.get()[i] == static_cast<std::byte>(size % 255));
      }
      blocks.pop_back();
    }
    if (blocks.size() > 200) blocks.erase(blocks.begin(), blocks.begin() + 150);
  }
  blocks.clear();
  BOOST_TEST(heap.segments() <= 1U);
}

BOOST_AUTO_TEST_CASE(a_block_may_outlive_the_heap) {
  std::shared_ptr<std::byte> block;
  {
    SharedHeap other(std::make_unique<ScriptedMemory>(account));
    block = other.allocate({100}).value_or_throw();
  }
  std::memset(block.get(), 1, 100);
  BOOST_TEST(account->segments.size() == 1U);
  block.reset();
  BOOST_TEST(account->segments.empty());
}

BOOST_AUTO_TEST_CASE(where_there_is_no_memory_for_a_large_arena_a_smaller_one_will_do) {
  account->most_bytes = std::uint64_t{32} << 20U;
  std::vector<std::shared_ptr<std::byte>> blocks;
  for (int i = 0; i < 7; ++i) blocks.push_back(take(std::uint64_t{4} << 20U));
  const auto refused = heap.allocate({std::uint64_t{8} << 20U});
  BOOST_REQUIRE(!refused);
  BOOST_TEST((refused.failure().code == ErrorCode::out_of_memory));
  blocks.clear();
  blocks.push_back(take(std::uint64_t{8} << 20U));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
