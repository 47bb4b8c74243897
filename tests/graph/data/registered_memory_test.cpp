#include "graph/data/registered_memory.hpp"

#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <memory>
#include <vector>

#include "graph/data/data_registry.hpp"
#include "proto/random.hpp"

namespace troupe::graph {

BOOST_AUTO_TEST_SUITE(registered_memory)

namespace {

std::vector<std::byte> memory(4096);

DataView block(std::int64_t at, std::int64_t rows, std::int64_t cols, std::int64_t ld) {
  return {memory.data() + at, {rows, cols, ld, 1, 0}};
}

/// Returns true if the two views share a byte. Compares them byte by byte.
bool share_a_byte(const DataView& a, const DataView& b) {
  std::vector<bool> used(memory.size());
  const auto visit = [](const DataView& view, const auto& see) {
    const auto bytes = view.as_volume<std::byte>();
    for (std::int64_t k = 0; k < bytes.planes; ++k) {
      for (std::int64_t j = 0; j < bytes.cols; ++j) {
        for (std::int64_t i = 0; i < bytes.rows; ++i) see(static_cast<std::size_t>(&bytes(i, j, k) - memory.data()));
      }
    }
  };
  bool found = false;
  visit(a, [&](std::size_t byte) { used[byte] = true; });
  visit(b, [&](std::size_t byte) { found = found || used[byte]; });
  return found;
}

BOOST_AUTO_TEST_CASE(blocks_of_one_matrix_and_blocks_without_gaps_are_told_apart_exactly) {
  Random random(7);
  const auto draw = [&](std::uint32_t from, std::uint32_t to) {
    return static_cast<std::int64_t>(from + random.below(to - from));
  };
  int overlaps = 0;
  for (int i = 0; i < 20000; ++i) {
    const std::int64_t ld = draw(1, 12);
    const DataView a = block(draw(0, 100), draw(0, static_cast<std::uint32_t>(ld) + 1), draw(0, 6), ld);
    const bool same_matrix = i % 2 == 0;
    const std::int64_t other_ld = same_matrix ? ld : draw(1, 12);
    const std::int64_t rows = same_matrix ? draw(0, static_cast<std::uint32_t>(ld) + 1) : other_ld;
    const DataView b = block(draw(0, 100), rows, draw(0, 6), other_ld);
    const bool expected = share_a_byte(a, b);
    overlaps += expected ? 1 : 0;
    BOOST_REQUIRE(share_memory(a, b) == expected);
    BOOST_REQUIRE(share_memory(b, a) == expected);
  }
  BOOST_TEST(overlaps > 2000);
  BOOST_TEST(overlaps < 18000);
}

BOOST_AUTO_TEST_CASE(what_is_said_to_overlap_does_however_far_apart_the_columns_are) {
  Random random(8);
  for (int i = 0; i < 20000; ++i) {
    const auto any = [&] {
      const std::int64_t ld = 1 + random.below(12);
      return block(random.below(100), 1 + random.below(static_cast<std::uint32_t>(ld)), 1 + random.below(6), ld);
    };
    const DataView a = any();
    const DataView b = any();
    BOOST_REQUIRE((!share_memory(a, b) || share_a_byte(a, b)));
  }
}

BOOST_AUTO_TEST_CASE(boxes_of_one_volume_are_told_apart_exactly) {
  Random random(9);
  int overlaps = 0;
  for (int i = 0; i < 20000; ++i) {
    const std::int64_t ld = 1 + random.below(6);
    const std::int64_t cols = 1 + random.below(5);
    const std::int64_t stride = ld * cols + random.below(4);
    // Some boxes are volumes without gaps, which may lie anywhere.
    const auto any = [&](bool compact) {
      const std::int64_t rows = compact ? ld : random.below(static_cast<std::uint32_t>(ld) + 1);
      DataView box = block(0, rows, compact ? cols : random.below(static_cast<std::uint32_t>(cols) + 1), ld);
      box.layout.planes = random.below(5);
      box.layout.plane_stride = compact ? ld * cols : stride;
      const std::int64_t row = random.below(static_cast<std::uint32_t>(ld - rows) + 1);
      const std::int64_t col = random.below(static_cast<std::uint32_t>(cols - box.layout.cols) + 1);
      box.data += compact ? random.below(150) : row + col * ld + random.below(5) * stride;
      return box;
    };
    const DataView a = any(i % 5 == 0);
    const DataView b = any(i % 3 == 0);
    const bool expected = share_a_byte(a, b);
    overlaps += expected ? 1 : 0;
    BOOST_REQUIRE(share_memory(a, b) == expected);
    BOOST_REQUIRE(share_memory(b, a) == expected);
  }
  BOOST_TEST(overlaps > 1000);
  BOOST_TEST(overlaps < 18000);
}

struct Fixture {
  DataRegistry registry{nullptr};
  DataRecord* add(const DataView& view) {
    auto added = registry.add_apart({view.layout, view.data, nullptr, {}});
    return added ? added.value() : nullptr;
  }
};

BOOST_FIXTURE_TEST_CASE(overlapping_registrations_are_refused_and_name_both, Fixture) {
  BOOST_TEST_REQUIRE(registry.add_apart({block(0, 8, 8, 8).layout, memory.data(), nullptr, "A"}).ok());
  const auto refused = registry.add_apart({block(8, 4, 2, 8).layout, memory.data() + 8, nullptr, "B"});
  BOOST_TEST_REQUIRE(!refused.ok());
  BOOST_TEST((refused.failure().code == ErrorCode::overlapping_handles));
  for (const char* part : {"'A'", "'B'", "partition"}) {
    BOOST_TEST((refused.failure().message.find(part) != std::string::npos));
  }
  BOOST_TEST(registry.size() == 1U);
  // Data without elements use no memory, so they overlap nothing.
  BOOST_TEST(add(block(8, 0, 3, 1)) != nullptr);
}

BOOST_FIXTURE_TEST_CASE(tiles_of_a_matrix_are_accepted_in_any_order_and_found_again, Fixture) {
  std::vector<DataRecord*> tiles;
  for (const std::int64_t row : {16, 0, 24, 8}) {
    for (const std::int64_t col : {3, 0, 2, 1}) tiles.push_back(add(block(row + 8 * col * 32, 8, 8, 32)));
  }
  for (const DataRecord* tile : tiles) BOOST_TEST_REQUIRE(tile != nullptr);
  for (const DataRecord* tile : tiles) BOOST_TEST(add(tile->view) == nullptr);
  BOOST_TEST(add(block(7, 2, 1, 2)) == nullptr);
}

BOOST_FIXTURE_TEST_CASE(what_was_released_may_be_registered_again, Fixture) {
  DataRecord* whole = add(block(0, 8, 8, 16));
  const auto parts = registry.add_parts(*whole, std::vector<Block>{{0, 0, 8, 4}, {0, 4, 8, 4}}).value();
  registry.remove(*parts[0]);
  BOOST_TEST(add(block(0, 1, 1, 1)) == nullptr);
  registry.remove(*whole);
  BOOST_TEST(add(block(0, 1, 1, 1)) != nullptr);
  BOOST_TEST(add(block(1, 64, 1, 64)) != nullptr);
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::graph
