#include "graph/data/part_index.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <deque>
#include <random>
#include <vector>

#include "graph/data/blocks.hpp"

namespace troupe::graph {

BOOST_AUTO_TEST_SUITE(part_index)

namespace {

/// Data that have blocks of any place and shape as parts, also such that overlap.
struct Divided {
  void add(const Block& place) {
    parts.emplace_back();
    parts.back().place = place;
    whole.children.push_back(&parts.back());
  }
  /// Returns what the index should find.
  [[nodiscard]] std::vector<std::uint32_t> look_at_all(const Block& block) const {
    std::vector<std::uint32_t> found;
    for (std::uint32_t i = 0; i < parts.size(); ++i) {
      if (elements_of(parts[i].place) > 0 && may_meet(block, parts[i].place)) found.push_back(i);
    }
    return found;
  }

  DataRecord whole;
  std::deque<DataRecord> parts;
};

}  // namespace

BOOST_AUTO_TEST_CASE(it_finds_what_a_look_at_all_parts_finds) {
  std::mt19937_64 random(3);
  const auto below = [&random](std::int64_t bound) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(bound));
  };
  const auto any_block = [&](std::int64_t longest) {
    return Block{below(100), below(100), below(longest), below(longest),
                 below(20),  below(4),   1 + below(3),   1 + below(2)};
  };
  std::size_t found_in_all = 0;
  for (int round = 0; round < 200; ++round) {
    Divided data;
    for (std::int64_t count = below(60); count > 0; --count) data.add(any_block(1 + below(30)));
    const PartIndex index(data.whole);
    for (int i = 0; i < 20; ++i) {
      const Block block = any_block(30);
      if (elements_of(block) == 0) continue;
      std::vector<std::uint32_t> found{7};
      index.find(block, found);
      BOOST_TEST(found.front() == 7U);
      found.erase(found.begin());
      BOOST_TEST((found == data.look_at_all(block)));
      found_in_all += found.size();
    }
  }
  BOOST_TEST(found_in_all > 500U);
}

BOOST_AUTO_TEST_CASE(it_finds_parts_in_a_row_and_in_a_column_and_nothing_where_there_are_none) {
  Divided rows;
  Divided columns;
  for (std::int64_t i = 0; i < 1000; ++i) {
    rows.add({4 * i, 0, 4, 1});
    columns.add({0, 4 * i, 1, 4});
  }
  std::vector<std::uint32_t> found;
  PartIndex(rows.whole).find({7, 0, 6, 1}, found);
  PartIndex(columns.whole).find({0, 7, 1, 6}, found);
  BOOST_TEST(found == (std::vector<std::uint32_t>{1, 2, 3, 1, 2, 3}), boost::test_tools::per_element());
  found.clear();
  const Divided none;
  PartIndex(none.whole).find({0, 0, 1, 1}, found);
  PartIndex(rows.whole).find({4000, 0, 1, 1}, found);
  BOOST_TEST(found.empty());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::graph
