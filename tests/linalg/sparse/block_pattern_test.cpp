#include "linalg/sparse/block_pattern.hpp"

#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <vector>

#include "linalg/sparse/block_structure.hpp"
#include "proto/random.hpp"

namespace troupe::linalg {

BOOST_AUTO_TEST_SUITE(sparse_block_pattern)

namespace {

BlockPattern random_pattern(int blocks, int share, std::uint64_t seed) {
  Random random(seed);
  BlockPattern pattern(blocks);
  for (int i = 0; i < blocks; ++i) {
    for (int j = 0; j < blocks; ++j) {
      if (i == j || random.below(100) < static_cast<std::uint32_t>(share)) pattern.set(i, j);
    }
  }
  return pattern;
}

/// Calculates the fill-in by its definition: the product of two full blocks makes a third block full.
BlockPattern eliminated_densely(BlockPattern pattern) {
  for (int k = 0; k < pattern.blocks(); ++k) {
    for (int i = k + 1; i < pattern.blocks(); ++i) {
      for (int j = k + 1; j < pattern.blocks(); ++j) {
        if (pattern.full(i, k) && pattern.full(k, j)) pattern.set(i, j);
      }
    }
  }
  return pattern;
}

std::int64_t products_by_counting(const BlockPattern& pattern) {
  std::int64_t products = 0;
  for (int k = 0; k < pattern.blocks(); ++k) {
    for (int i = k + 1; i < pattern.blocks(); ++i) {
      for (int j = k + 1; j < pattern.blocks(); ++j) {
        if (pattern.full(i, k) && pattern.full(k, j) && pattern.full(i, j)) ++products;
      }
    }
  }
  return products;
}

}  // namespace

BOOST_AUTO_TEST_CASE(fills_in_what_dense_elimination_fills_in) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    BOOST_TEST_CONTEXT("seed " << seed) {
      // Some numbers of blocks are below the size of a word in bits, some are equal to it, and some are above.
      const int blocks = 1 + static_cast<int>(seed * 11 % 140);
      const BlockPattern given = random_pattern(blocks, 1 + static_cast<int>(seed % 7), seed);
      BlockPattern filled = given;
      filled.fill_in();
      BOOST_TEST((filled == eliminated_densely(given)));
      BOOST_TEST(filled.count() >= given.count());
    }
  }
}

BOOST_AUTO_TEST_CASE(counts_the_work) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const BlockPattern pattern = random_pattern(3 + static_cast<int>(seed * 13 % 130), 20, seed);
    const BlockWork work = work_of(pattern);
    BOOST_TEST(work.products == products_by_counting(pattern));
    BOOST_TEST(work.diagonals == pattern.blocks());
    BOOST_TEST(work.solves + work.diagonals == pattern.count());
  }
  BlockPattern dense(10);
  for (int i = 0; i < 10; ++i) {
    for (int j = 0; j < 10; ++j) dense.set(i, j);
  }
  BOOST_TEST(work_of(dense).flops(7) == 2.0 / 3 * 70 * 70 * 70, boost::test_tools::tolerance(1e-12));
}

BOOST_AUTO_TEST_CASE(walks_the_full_blocks_of_a_row) {
  BlockPattern pattern(130);
  for (const int j : {0, 63, 64, 127, 129}) pattern.set(2, j);
  const auto from = [&](int first) {
    std::vector<int> found;
    pattern.for_row(2, first, [&](int j) { found.push_back(j); });
    return found;
  };
  BOOST_TEST(from(0) == (std::vector<int>{0, 63, 64, 127, 129}), boost::test_tools::per_element());
  BOOST_TEST(from(63) == (std::vector<int>{63, 64, 127, 129}), boost::test_tools::per_element());
  BOOST_TEST(from(65) == (std::vector<int>{127, 129}), boost::test_tools::per_element());
  BOOST_TEST(from(129) == (std::vector<int>{129}), boost::test_tools::per_element());
  BOOST_TEST(pattern.first_without_diagonal() == 0);
  pattern.set(0, 0);
  BOOST_TEST(pattern.first_without_diagonal() == 1);
}

BOOST_AUTO_TEST_CASE(structures_are_what_their_names_say) {
  const auto pattern = [](std::string_view text, int blocks) {
    return pattern_of(parse_structure(text).value_or_throw(), blocks, 5);
  };
  // A third of the blocks is empty. After the fill-in only few blocks are empty.
  const auto closed = static_cast<double>(pattern("third-closed", 60).count());
  BOOST_TEST(closed / 3600 > 0.62);
  BOOST_TEST(closed / 3600 < 0.71);
  BOOST_TEST(static_cast<double>(pattern("third", 60).count()) / 3600 > 0.95);
  const BlockPattern band = pattern("band:2", 9);
  for (int i = 0; i < 9; ++i) {
    for (int j = 0; j < 9; ++j) BOOST_TEST(band.full(i, j) == (std::abs(i - j) <= 2));
  }
  BOOST_TEST(pattern("band:0", 4).count() == 4);
  const BlockPattern bots = pattern("bots", 50);
  BOOST_TEST(bots.first_without_diagonal() == -1);
  BOOST_TEST(bots.full(6, 30));   // Row 6 is a multiple of 3, and 6 and 30 are both even.
  BOOST_TEST(!bots.full(1, 31));  // With odd indices, only blocks near the diagonal are full.
  for (const char* text : {"third", "third-closed", "bots", "band:2"}) {
    BOOST_TEST(to_string(parse_structure(text).value_or_throw()) == text);
    BlockPattern filled = pattern(text, 40);
    filled.fill_in();
    BOOST_TEST((filled == pattern(text, 40)) == (std::string_view(text) != "third-closed"));
  }
  for (const char* text : {"", "band", "band:", "band:x", "band:-1", "band:99999999999999999999", "quarter"}) {
    BOOST_TEST((parse_structure(text).failure().code == ErrorCode::invalid_argument));
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::linalg
