#include "linalg/sparse/diagonal_matching.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <numeric>
#include <set>

#include "proto/random.hpp"
#include "tests/support/temporary_folder.hpp"
#include "troupe/errors.hpp"

namespace troupe::linalg {

BOOST_AUTO_TEST_SUITE(diagonal_matching)

namespace {

double element_of(const CompressedMatrix& a, std::int64_t row, std::int64_t col) {
  for (std::size_t k = 0; k < a.cols_of(row).size(); ++k) {
    if (a.cols_of(row)[k] == col) return a.values_of(row)[k];
  }
  return 0;
}

/// Returns the largest sum of logarithms of all permutations; minus infinity if every permutation includes a zero.
double best_by_trying(const CompressedMatrix& a) {
  std::vector<int> row_of(static_cast<std::size_t>(a.order));
  std::iota(row_of.begin(), row_of.end(), 0);
  double best = -HUGE_VAL;
  do {
    double sum = 0;
    for (std::size_t j = 0; j < row_of.size(); ++j) {
      sum += std::log(std::abs(element_of(a, row_of[j], static_cast<std::int64_t>(j))));
    }
    best = std::max(best, sum);
  } while (std::ranges::next_permutation(row_of).found);
  return best;
}

double sum_of(const CompressedMatrix& a, const DiagonalMatching& matching) {
  double sum = 0;
  for (std::size_t j = 0; j < matching.row_of.size(); ++j) {
    sum += std::log(std::abs(element_of(a, matching.row_of[j], static_cast<std::int64_t>(j))));
  }
  return sum;
}

/// Returns a random matrix in which each element exists with a probability of `share` percent. The values have very
/// different magnitudes.
CompressedMatrix random_matrix(int order, int share, std::uint64_t seed) {
  Random random(seed);
  std::vector<SparseEntry> entries;
  for (int row = 0; row < order; ++row) {
    for (int col = 0; col < order; ++col) {
      if (random.below(100) >= static_cast<std::uint32_t>(share)) continue;
      const double size = std::pow(10.0, static_cast<int>(random.below(9)) - 4);
      const double value = (1 + static_cast<double>(random.below(1000)) / 1000) * size;
      entries.push_back({row, col, random.below(2) == 0 ? value : -value});
    }
  }
  return compressed(order, std::move(entries));
}

void check_scales(const CompressedMatrix& a, const DiagonalMatching& matching) {
  for (std::int64_t row = 0; row < a.order; ++row) {
    for (std::size_t k = 0; k < a.cols_of(row).size(); ++k) {
      const auto col = static_cast<std::size_t>(a.cols_of(row)[k]);
      const double scaled =
          std::abs(a.values_of(row)[k]) * matching.row_scale[static_cast<std::size_t>(row)] * matching.col_scale[col];
      BOOST_TEST(scaled <= 2 * (1 + 1e-9));
      if (matching.row_of[col] == row) BOOST_TEST(scaled >= 0.5 * (1 - 1e-9));
    }
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(finds_the_best_of_all_permutations) {
  int matched = 0;
  int singular = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    BOOST_TEST_CONTEXT("seed " << seed) {
      const CompressedMatrix a = random_matrix(2 + static_cast<int>(seed % 5), 30 + static_cast<int>(seed % 60), seed);
      const double best = best_by_trying(a);
      try {
        const DiagonalMatching matching = match_diagonal(a);
        BOOST_TEST(std::abs(sum_of(a, matching) - best) < 1e-9 * (1 + std::abs(best)));
        check_scales(a, matching);
        ++matched;
      } catch (const Error& error) {
        BOOST_TEST((error.code() == ErrorCode::numerical));
        BOOST_TEST(best == -HUGE_VAL);
        ++singular;
      }
    }
  }
  BOOST_TEST(matched > 50);
  BOOST_TEST(singular > 50);
}

BOOST_AUTO_TEST_CASE(matches_every_row_of_larger_matrices_once) {
  for (const int order : {40, 150}) {
    CompressedMatrix a = random_matrix(order, 20, static_cast<std::uint64_t>(order));
    const DiagonalMatching matching = match_diagonal(a);
    const std::set<std::int32_t> rows(matching.row_of.begin(), matching.row_of.end());
    BOOST_TEST(rows.size() == static_cast<std::size_t>(order));
    check_scales(a, matching);
  }
}

BOOST_AUTO_TEST_CASE(leaves_a_dominant_diagonal_where_it_is) {
  std::vector<SparseEntry> entries;
  for (int i = 0; i < 50; ++i) {
    entries.push_back({i, i, 4});
    if (i > 0) entries.push_back({i, i - 1, -1.5});
    if (i < 49) entries.push_back({i, i + 1, 1});
  }
  const DiagonalMatching matching = match_diagonal(compressed(50, std::move(entries)));
  for (int i = 0; i < 50; ++i) BOOST_TEST(matching.row_of[static_cast<std::size_t>(i)] == i);
}

BOOST_AUTO_TEST_CASE(says_what_leaves_no_diagonal) {
  const auto says = [](const CompressedMatrix& a, std::string_view what) {
    BOOST_CHECK_EXCEPTION((void)match_diagonal(a), Error,
                          [what](const Error& error) { return tests::contains(error.what(), what); });
  };
  says(compressed(2, {{0, 0, 1}}), "row 2 is zero");
  says(compressed(2, {{0, 0, 1}, {1, 0, 1}}), "column 2 is zero");
  says(compressed(2, {{0, 0, 1}, {1, 1, 0}}), "row 2 is zero");
  // Rows 1 and 2 only have an element in column 0, so one of the two rows gets no diagonal element.
  says(compressed(3, {{0, 0, 1}, {0, 1, 1}, {0, 2, 1}, {1, 0, 1}, {2, 0, 3}}), "left without a diagonal element");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::linalg
