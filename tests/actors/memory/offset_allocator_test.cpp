#include "actors/memory/offset_allocator.hpp"

#include <boost/test/unit_test.hpp>
#include <optional>
#include <vector>

#include "proto/random.hpp"

namespace troupe::memory {

BOOST_AUTO_TEST_SUITE(offset_allocator)

namespace {

constexpr std::uint64_t kUnit = OffsetAllocator::kAlignment;

/// A simple allocator that marks every unit of the arena as free or taken. The results of the real allocator must be
/// equal to the results of this one.
class NaiveArena {
 public:
  explicit NaiveArena(std::size_t units) : taken_(units, false) {}

  /// Returns the first unit of the shortest run of free units that is long enough. If several runs are equally short,
  /// returns the first unit of the lowest run.
  [[nodiscard]] std::optional<std::size_t> best_fit(std::size_t units) const {
    std::optional<std::size_t> best;
    std::size_t best_length = taken_.size() + 1;
    for (std::size_t begin = 0; begin < taken_.size();) {
      const std::size_t length = free_from(begin);
      if (length >= units && length < best_length) {
        best = begin;
        best_length = length;
      }
      begin += length + 1;
    }
    return best;
  }
  [[nodiscard]] std::size_t largest() const {
    std::size_t largest = 0;
    for (std::size_t begin = 0; begin < taken_.size(); ++begin) largest = std::max(largest, free_from(begin));
    return largest;
  }
  void set(std::size_t begin, std::size_t units, bool taken) {
    for (std::size_t i = begin; i < begin + units; ++i) {
      BOOST_REQUIRE(taken_[i] != taken);
      taken_[i] = taken;
    }
  }

 private:
  [[nodiscard]] std::size_t free_from(std::size_t begin) const {
    std::size_t end = begin;
    while (end < taken_.size() && !taken_[end]) ++end;
    return end - begin;
  }

  std::vector<bool> taken_;
};

BOOST_AUTO_TEST_CASE(sizes_are_rounded_up_to_the_alignment_and_nothing_is_empty) {
  BOOST_TEST(OffsetAllocator::rounded({0}).count == kUnit);
  BOOST_TEST(OffsetAllocator::rounded({1}).count == kUnit);
  BOOST_TEST(OffsetAllocator::rounded({kUnit}).count == kUnit);
  BOOST_TEST(OffsetAllocator::rounded({kUnit + 1}).count == 2 * kUnit);
}

BOOST_AUTO_TEST_CASE(capacity_is_rounded_down) {
  BOOST_TEST(OffsetAllocator({3 * kUnit - 1}).capacity().count == 2 * kUnit);
  BOOST_TEST(OffsetAllocator({kUnit - 1}).allocate({1}) == OffsetAllocator::kNone);
}

BOOST_AUTO_TEST_CASE(the_smallest_hole_that_is_large_enough_is_taken) {
  OffsetAllocator arena({10 * kUnit});
  const auto large = arena.allocate({3 * kUnit});
  const auto wall = arena.allocate({kUnit});
  const auto small = arena.allocate({2 * kUnit});
  const auto end = arena.allocate({kUnit});
  BOOST_TEST(arena.offset(wall) < arena.offset(end));
  arena.free(large);
  arena.free(small);
  const auto block = arena.allocate({2 * kUnit});
  BOOST_TEST(arena.offset(block) == 4 * kUnit);
}

BOOST_AUTO_TEST_CASE(free_neighbours_become_one) {
  OffsetAllocator arena({3 * kUnit});
  const auto first = arena.allocate({kUnit});
  const auto second = arena.allocate({kUnit});
  const auto third = arena.allocate({kUnit});
  BOOST_TEST(arena.allocate({kUnit}) == OffsetAllocator::kNone);
  arena.free(first);
  arena.free(third);
  BOOST_TEST(arena.largest_free().count == kUnit);
  arena.free(second);
  BOOST_TEST(arena.largest_free().count == 3 * kUnit);
  BOOST_TEST(arena.offset(arena.allocate({3 * kUnit})) == 0U);
}

BOOST_AUTO_TEST_CASE(random_operations_agree_with_a_naive_arena) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    BOOST_TEST_CONTEXT("seed " << seed) {
      Random random(seed);
      const std::size_t units = 16 + random.below(200);
      OffsetAllocator arena({units * kUnit});
      NaiveArena naive(units);
      std::vector<std::pair<OffsetAllocator::Block, std::size_t>> live;
      std::size_t used = 0;
      for (int step = 0; step < 1500; ++step) {
        if (random.below(100) < 55) {
          const std::size_t size = 1 + random.below(1 + random.below(24));
          const auto expected = naive.best_fit(size);
          const auto block = arena.allocate({size * kUnit - random.below(kUnit)});
          BOOST_REQUIRE((block != OffsetAllocator::kNone) == expected.has_value());
          if (!expected) continue;
          BOOST_REQUIRE_EQUAL(arena.offset(block), *expected * kUnit);
          BOOST_REQUIRE_EQUAL(arena.size(block).count, size * kUnit);
          naive.set(*expected, size, true);
          live.emplace_back(block, size);
          used += size;
        } else if (!live.empty()) {
          const std::size_t which = random.below(static_cast<std::uint32_t>(live.size()));
          const auto [block, size] = live[which];
          naive.set(arena.offset(block) / kUnit, size, false);
          arena.free(block);
          live.erase(live.begin() + static_cast<std::ptrdiff_t>(which));
          used -= size;
        }
        BOOST_REQUIRE_EQUAL(arena.used().count, used * kUnit);
        BOOST_REQUIRE_EQUAL(arena.largest_free().count, naive.largest() * kUnit);
      }
    }
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::memory
