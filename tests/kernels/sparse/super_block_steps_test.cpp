#include "kernels/sparse/super_block_steps.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <vector>

#include "kernels/blas_threads.hpp"
#include "proto/random.hpp"

namespace troupe::kernels {

BOOST_AUTO_TEST_SUITE(super_block_steps)

namespace {

constexpr std::int64_t kBlock = 6;
constexpr int kSide = 3;

/// A super-block with its own memory.
struct OwnSuperBlock {
  OwnSuperBlock(BlockMask blocks, std::uint64_t seed, double diagonal = 0)
      : mask(blocks), values(static_cast<std::size_t>(kBlock * kBlock * std::popcount(blocks))) {
    Random random(seed);
    for (double& value : values) value = static_cast<double>(random.below(2001)) / 1000 - 1;
    for (int k = 0; k < kSide; ++k) {
      if (!view().full(k, k)) continue;
      for (std::int64_t i = 0; i < kBlock; ++i) view().block(k, k)(i, i) += diagonal;
    }
  }
  [[nodiscard]] SuperBlock<double> view() {
    const auto width = static_cast<std::int64_t>(values.size()) / kBlock;
    return {{values.data(), kBlock, width, kBlock}, mask, kSide};
  }
  [[nodiscard]] SuperBlock<const double> read() { return view().constant(); }
  /// Returns an element of the super-block; zero if the element's block is empty.
  [[nodiscard]] double at(std::int64_t row, std::int64_t col) {
    const auto i = static_cast<int>(row / kBlock);
    const auto j = static_cast<int>(col / kBlock);
    return view().full(i, j) ? view().block(i, j)(row % kBlock, col % kBlock) : 0;
  }

  BlockMask mask;
  std::vector<double> values;
};

constexpr std::int64_t kRows = kBlock * kSide;
constexpr BlockMask kAll = (BlockMask{1} << (kSide * kSide)) - 1;

BlockMask random_mask(std::uint64_t seed) {
  Random random(seed);
  return 1 + random.below(static_cast<std::uint32_t>(kAll));
}

template <class Step>
void run_backwards(const Step& step) {
  for (int i = step.count(); i-- > 0;) step.piece(i);
}

double largest(const std::vector<double>& values) {
  double result = 0;
  for (const double value : values) result = std::max(result, std::abs(value));
  return result;
}

}  // namespace

BOOST_AUTO_TEST_CASE(products_change_full_blocks_alone_whatever_the_order_of_pieces_is) {
  const auto quiet = single_threaded_blas();
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    BOOST_TEST_CONTEXT("seed " << seed) {
      OwnSuperBlock a(random_mask(seed), seed);
      OwnSuperBlock b(random_mask(seed + 1000), seed + 1);
      OwnSuperBlock c(random_mask(seed + 2000), seed + 2);
      OwnSuperBlock before = c;
      run_backwards(SubtractProduct<double>(a.read(), b.read(), c.view()));
      for (std::int64_t col = 0; col < kRows; ++col) {
        for (std::int64_t row = 0; row < kRows; ++row) {
          if (!c.view().full(static_cast<int>(row / kBlock), static_cast<int>(col / kBlock))) continue;
          double expected = before.at(row, col);
          for (std::int64_t k = 0; k < kRows; ++k) expected -= a.at(row, k) * b.at(k, col);
          BOOST_TEST(std::abs(c.at(row, col) - expected) < 1e-12);
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(factors_and_solves_multiply_to_what_they_came_from) {
  const auto quiet = single_threaded_blas();
  OwnSuperBlock d(kAll, 3, 20);
  OwnSuperBlock given = d;
  ReplacedPivots replaced;
  BOOST_TEST(factorize_super_block(d.view(), 0.0, replaced) == 0);
  BOOST_TEST(replaced.count == 0);
  const auto l = [&](std::int64_t i, std::int64_t j) { return i == j ? 1.0 : i > j ? d.at(i, j) : 0.0; };
  const auto u = [&](std::int64_t i, std::int64_t j) { return i <= j ? d.at(i, j) : 0.0; };
  OwnSuperBlock a(kAll, 4);
  OwnSuperBlock x = a;
  run_backwards(SolveWithUpper<double>(d.read(), x.view()));
  OwnSuperBlock y = a;
  run_backwards(SolveWithLower<double>(d.read(), y.view()));
  std::vector<double> errors;
  for (std::int64_t col = 0; col < kRows; ++col) {
    for (std::int64_t row = 0; row < kRows; ++row) {
      double lu = -given.at(row, col);
      double xu = -a.at(row, col);
      double ly = -a.at(row, col);
      for (std::int64_t k = 0; k < kRows; ++k) {
        lu += l(row, k) * u(k, col);
        xu += x.at(row, k) * u(k, col);
        ly += l(row, k) * y.at(k, col);
      }
      errors.insert(errors.end(), {lu, xu, ly});
    }
  }
  BOOST_TEST(largest(errors) < 1e-12);
}

BOOST_AUTO_TEST_CASE(a_zero_pivot_ends_it_and_a_tiny_one_is_replaced_with_its_sign) {
  const auto quiet = single_threaded_blas();
  // Only the blocks on the diagonal are not empty.
  const BlockMask diagonal = block_bit(0, 0, kSide) | block_bit(1, 1, kSide) | block_bit(2, 2, kSide);
  OwnSuperBlock d(diagonal, 5, 20);
  for (std::int64_t col = 0; col < kBlock; ++col) d.view().block(1, 1)(4, col) = col == 4 ? -1e-30 : 0;
  OwnSuperBlock zero = d;
  zero.view().block(1, 1)(4, 4) = 0;
  ReplacedPivots replaced;
  BOOST_TEST(factorize_super_block(zero.view(), 0.0, replaced) == kBlock + 5);
  BOOST_TEST(factorize_super_block(d.view(), 1e-8, replaced) == 0);
  BOOST_TEST(replaced.count == 1);
  BOOST_TEST(replaced.first == kBlock + 4);
  BOOST_TEST(d.at(kBlock + 4, kBlock + 4) == -1e-8);
}

BOOST_AUTO_TEST_CASE(operations_are_counted_by_masks) {
  const auto n = static_cast<double>(kRows);
  BOOST_TEST(product_flops(kAll, kAll, kAll, kSide, kBlock) == 2 * n * n * n);
  BOOST_TEST(factorization_flops(kAll, kSide, kBlock) == 2 * n * n * n / 3, boost::test_tools::tolerance(1e-12));
  BOOST_TEST(upper_solve_flops(kAll, kAll, kSide, kBlock) == n * n * n);
  BOOST_TEST(lower_solve_flops(kAll, kAll, kSide, kBlock) == n * n * n);
  BOOST_TEST(product_flops(block_bit(0, 1, kSide), block_bit(2, 0, kSide), kAll, kSide, kBlock) == 0);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::kernels
