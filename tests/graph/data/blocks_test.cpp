#include "graph/data/blocks.hpp"

#include <array>
#include <boost/test/unit_test.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "proto/random.hpp"

namespace troupe::graph {

BOOST_AUTO_TEST_SUITE(blocks)

namespace {

constexpr std::int64_t kEdge = 7;
const Layout kCube{.rows = kEdge, .cols = kEdge, .ld = kEdge, .planes = kEdge, .plane_stride = kEdge * kEdge};

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}

  [[nodiscard]] std::int64_t below(std::int64_t bound) {
    return static_cast<std::int64_t>(random_.below(static_cast<std::uint32_t>(bound)));
  }
  /// Returns a block of the cube, with steps or without.
  [[nodiscard]] Block block(bool stepped) {
    Block block{below(kEdge), below(kEdge), 0, 0, below(kEdge), 0};
    if (stepped) {
      block.col_step = 1 + below(3);
      block.plane_step = 1 + below(4);
    }
    block.rows = below(kEdge - block.row + 1);
    block.cols = below((kEdge - 1 - block.col) / block.col_step + 2);
    block.planes = below((kEdge - 1 - block.plane) / block.plane_step + 2);
    return block;
  }

 private:
  Random random_;
};

/// The elements of the cube, and how often they are in a list of blocks.
using Counts = std::vector<int>;

void count(const Block& block, Counts& counts) {
  for (std::int64_t k = 0; k < block.planes; ++k) {
    for (std::int64_t j = 0; j < block.cols; ++j) {
      for (std::int64_t i = 0; i < block.rows; ++i) {
        const std::int64_t col = block.col + j * block.col_step;
        const std::int64_t plane = block.plane + k * block.plane_step;
        ++counts.at(static_cast<std::size_t>(block.row + i + (col + plane * kEdge) * kEdge));
      }
    }
  }
}

Counts counts_of(const std::vector<Block>& blocks) {
  Counts counts(kEdge * kEdge * kEdge);
  for (const Block& block : blocks) count(block, counts);
  return counts;
}

}  // namespace

BOOST_AUTO_TEST_CASE(an_intersection_has_the_elements_that_both_blocks_have) {
  Draw draw(3);
  int common = 0;
  for (int i = 0; i < 20000; ++i) {
    const Block a = draw.block(i % 2 == 0);
    const Block b = draw.block(i % 3 == 0);
    BOOST_TEST_REQUIRE(lies_inside(a, kCube));
    Counts expected = counts_of({a, b});
    for (int& one : expected) one = one == 2 ? 1 : 0;
    const Block both = intersection(a, b);
    BOOST_TEST_REQUIRE((counts_of({both}) == expected));
    common += elements_of(both) > 0 ? 1 : 0;
    if (elements_of(both) == 0) continue;
    // Translated to the coordinates of one of the blocks and back, the block has the same elements.
    BOOST_TEST_REQUIRE((counts_of({in_whole(in_part(both, a), a)}) == expected));
    BOOST_TEST_REQUIRE(lies_inside(in_part(both, b), {.rows = b.rows, .cols = b.cols, .planes = b.planes}));
  }
  BOOST_TEST(common > 400);
}

BOOST_AUTO_TEST_CASE(overlaps_of_boxes_are_found_wherever_they_are) {
  Draw draw(4);
  int overlapping = 0;
  for (int i = 0; i < 4000; ++i) {
    std::vector<Block> list;
    for (std::int64_t n = 2 + draw.below(6); n > 0; --n) {
      Block block = draw.block(i % 2 == 0);
      block.rows = std::min<std::int64_t>(block.rows, 3);
      block.cols = std::min<std::int64_t>(block.cols, 3);
      list.push_back(block);
    }
    bool expected = false;
    for (const int one : counts_of(list)) expected = expected || one > 1;
    BOOST_TEST_REQUIRE((find_overlap(list) != nullptr) == expected);
    overlapping += expected ? 1 : 0;
  }
  BOOST_TEST(overlapping > 400);
  BOOST_TEST(overlapping < 3600);
}

BOOST_AUTO_TEST_CASE(overlaps_in_long_lists_are_found) {
  Draw draw(5);
  for (const bool flat : {true, false}) {
    int overlapping = 0;
    for (int i = 0; i < 2000; ++i) {
      std::vector<Block> list;
      for (std::int64_t n = 13 + draw.below(4); n > 0; --n) {
        const Block block{draw.below(kEdge), draw.below(kEdge), 1, 1, flat ? 3 : draw.below(kEdge), 1};
        list.push_back(block);
        if (draw.below(3) == 0 && block.row + 1 < kEdge) list.back().rows = 2;
        if (draw.below(3) == 0 && block.col + 1 < kEdge) list.back().cols = 2;
        if (!flat && draw.below(3) == 0 && block.plane + 1 < kEdge) list.back().planes = 2;
      }
      bool expected = false;
      for (const int one : counts_of(list)) expected = expected || one > 1;
      BOOST_TEST_REQUIRE((find_overlap(list) != nullptr) == expected);
      overlapping += expected ? 1 : 0;
    }
    BOOST_TEST(overlapping > 200);
    BOOST_TEST(overlapping < 1995);
  }
}

BOOST_AUTO_TEST_CASE(one_overlap_among_many_boxes_is_found) {
  // Boxes of 2 x 3 x 1, so that cuts at the boxes' beginnings have others on both sides.
  std::vector<Block> list;
  for (std::int64_t k = 0; k < 24; ++k) {
    for (std::int64_t j = 0; j < 24; ++j) {
      for (std::int64_t i = 0; i < 24; ++i) list.push_back({2 * i + j % 2, 3 * j, 2, 3, k, 1});
    }
  }
  BOOST_TEST(find_overlap(list) == nullptr);
  for (const std::size_t at : {std::size_t{0}, list.size() / 2, list.size() - 2}) {
    std::vector<Block> with_one = list;
    with_one[at].rows = 3;
    BOOST_TEST(find_overlap(with_one) != nullptr);
    with_one[at].rows = 2;
    with_one.push_back({with_one[at].row + 1, with_one[at].col, 1, 1, with_one[at].plane, 1});
    BOOST_TEST(find_overlap(with_one) != nullptr);
  }
}

BOOST_AUTO_TEST_CASE(columns_in_turn_are_apart) {
  std::vector<Block> list;
  for (std::int64_t i = 0; i < 50; ++i) list.push_back({0, i, 4, 20, 0, 1, 50, 1});
  BOOST_TEST(find_overlap(list) == nullptr);
  list.push_back({3, 100, 1, 2, 0, 1, 49, 1});
  BOOST_TEST(find_overlap(list) != nullptr);
}

BOOST_AUTO_TEST_CASE(columns_far_apart_have_those_in_common_that_a_search_finds) {
  Draw draw(5);
  int met = 0;
  for (int i = 0; i < 3000; ++i) {
    const auto columns = [&draw] {
      return Block{0, draw.below(2000), 1, 2 + draw.below(400), 0, 1, 1 + draw.below(1000), 1};
    };
    const Block a = columns();
    const Block b = columns();
    std::vector<std::int64_t> wanted;
    for (std::int64_t k = 0; k < a.cols; ++k) {
      const std::int64_t col = a.col + k * a.col_step;
      const std::int64_t away = col - b.col;
      if (away >= 0 && away % b.col_step == 0 && away / b.col_step < b.cols) wanted.push_back(col);
    }
    const Block common = intersection(a, b);
    std::vector<std::int64_t> found;
    for (std::int64_t k = 0; k < common.cols; ++k) found.push_back(common.col + k * common.col_step);
    BOOST_TEST(found == wanted, "blocks of seed 5, number " << i);
    met += wanted.empty() ? 0 : 1;
  }
  BOOST_TEST(met > 500);
}

BOOST_AUTO_TEST_CASE(a_block_lies_inside_if_all_its_elements_do) {
  BOOST_TEST(lies_inside({0, 0, kEdge, kEdge, 0, kEdge}, kCube));
  BOOST_TEST(lies_inside({kEdge, 0, 0, 0, kEdge, 0}, kCube));
  BOOST_TEST(lies_inside({0, 0, 1, 4, 6, 1, 2, 1}, kCube));
  for (const Block& block :
       {Block{0, 0, 1, 1, 7, 1}, Block{0, 0, 1, 1, -1, 1}, Block{0, 0, 1, 1, 0, 8}, Block{0, 0, 1, 1, 0, -1},
        Block{0, 0, 1, 5, 0, 1, 2, 1}, Block{0, 1, 1, 4, 0, 1, 2, 1}, Block{0, 0, 1, 1, 1, 3, 1, 3},
        Block{0, 0, 1, 1, 0, 1, 0, 1}, Block{0, 0, 1, 1, 0, 1, 1, -1}, Block{0, 0, 1, 1, 0, 2, 1, INT64_MAX}}) {
    BOOST_TEST(!lies_inside(block, kCube));
  }
}

BOOST_AUTO_TEST_CASE(a_rim_ends_where_the_whole_ends) {
  const Block block = with_rim({1, 3, 2, 2, 5, 2}, Rim(2, 1, 3), kCube);
  BOOST_TEST(place_text(block, kCube) == "(0, 2, 2)");
  BOOST_TEST(size_text(block, kCube) == "5 x 4 x 5");
}

BOOST_AUTO_TEST_CASE(a_view_of_a_block_has_its_elements) {
  std::vector<std::int64_t> memory(6 * 5 * 4 * 3);
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<std::int64_t>(i);
  // 5 x 4 x 3 elements, with gaps between columns and planes.
  const Layout layout = layout_of<std::int64_t>({.rows = 5, .cols = 4, .planes = 3, .ld = 6, .plane_stride = 28});
  const DataView whole{reinterpret_cast<std::byte*>(memory.data()), layout};
  const auto view = view_of_block(whole, {1, 1, 3, 2, 0, 2, 2, 2}).as_volume<std::int64_t>();
  BOOST_TEST(view.rows == 3);
  BOOST_TEST(view.cols == 2);
  BOOST_TEST(view.planes == 2);
  BOOST_TEST(view(0, 0, 0) == 1 + 6);
  BOOST_TEST(view(2, 1, 1) == 3 + 6 * 3 + 28 * 2);
  // One face each: across the rows, across the columns and across the planes.
  BOOST_TEST((view_of_block(whole, {4, 0, 1, 4, 0, 3}).as_volume<std::int64_t>()(0, 3, 2)) == 4 + 18 + 56);
  BOOST_TEST((view_of_block(whole, {0, 3, 5, 1, 0, 3}).as_volume<std::int64_t>()(4, 0, 2)) == 4 + 18 + 56);
  BOOST_TEST((view_of_block(whole, {0, 0, 5, 4, 2, 1}).as_matrix<std::int64_t>()(4, 3)) == 4 + 18 + 56);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::graph
