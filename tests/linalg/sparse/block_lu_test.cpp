#include "linalg/sparse/block_lu.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstring>
#include <set>

#include "linalg/dense_matrix.hpp"
#include "linalg/factorization.hpp"
#include "linalg/sparse/block_structure.hpp"
#include "proto/random.hpp"
#include "tests/linalg/sparse/random_blocks.hpp"
#include "tests/support/temporary_folder.hpp"
#include "troupe/simulation_options.hpp"

namespace troupe::linalg {

BOOST_AUTO_TEST_SUITE(sparse_block_lu)

namespace {

RuntimeOptions two_cores() {
  RuntimeOptions options;
  options.cores = 2;
  options.threads.oversubscribe = true;
  return options;
}

BlockPattern structure(const char* text, int blocks) {
  return pattern_of(parse_structure(text).value_or_throw(), blocks, 3);
}

template <class T>
DenseMatrix<T> dense(const BlockMatrix<T>& a) {
  DenseMatrix<T> result(a.rows(), a.rows());
  for (int i = 0; i < a.blocks(); ++i) {
    a.pattern().for_row(i, 0, [&](int j) {
      const MatrixView<T> block = a.block(i, j);
      for (std::int64_t col = 0; col < block.cols; ++col) {
        for (std::int64_t row = 0; row < block.rows; ++row) {
          result(i * block.rows + row, j * block.cols + col) = block(row, col);
        }
      }
    });
  }
  return result;
}

template <class T>
kernels::ReplacedPivots factorize(Runtime& runtime, BlockMatrix<T>& a, double least,
                                  kernels::SuperTasks tasks = kernels::SuperTasks::whole) {
  const ReplacedPivotCounts counts(runtime, a.supers());
  block_lu(runtime, a, counts, least, tasks);
  runtime.wait();
  a.bring_home();
  return counts.total();
}

template <class T>
bool same_bits(const DenseMatrix<T>& a, const DenseMatrix<T>& b) {
  return a.values.size() == b.values.size() &&
         std::memcmp(a.values.data(), b.values.data(), a.values.size() * sizeof(T)) == 0;
}

/// Returns the largest difference between elements of two matrices of factors.
template <class T>
double largest_difference(const DenseMatrix<T>& a, const DenseMatrix<T>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.values.size(); ++i) {
    largest = std::max(largest, std::abs(static_cast<double>(a.values[i]) - static_cast<double>(b.values[i])));
  }
  return largest;
}

}  // namespace

BOOST_AUTO_TEST_CASE(factors_are_those_of_the_sequential_order_bit_by_bit_whatever_the_grain_is) {
  Runtime runtime(two_cores());
  for (const char* text : {"third", "third-closed", "bots", "band:3"}) {
    BOOST_TEST_CONTEXT(text) {
      const BlockPattern pattern = structure(text, 13);
      BlockMatrix<double> expected = tests::random_blocks<double>(runtime, pattern, {20, 1});
      BOOST_TEST(block_lu_in_sequence(expected, 0.0).count == 0);
      for (const int side : {1, 2, 5, 8}) {
        BOOST_TEST_CONTEXT("side " << side) {
          BlockMatrix<double> a = tests::random_blocks<double>(runtime, pattern, {20, side});
          BOOST_TEST(factorize(runtime, a, 0.0).count == 0);
          BOOST_TEST(same_bits(dense(a), dense(expected)));
          BlockMatrix<double> in_pieces = tests::random_blocks<double>(runtime, pattern, {20, side});
          BOOST_TEST(factorize(runtime, in_pieces, 0.0, kernels::SuperTasks::pieces).count == 0);
          BOOST_TEST(same_bits(dense(in_pieces), dense(expected)));
          BlockMatrix<double> alone = tests::random_blocks<double>(runtime, pattern, {20, side});
          (void)block_lu_in_sequence(alone, 0.0);
          BOOST_TEST(same_bits(dense(alone), dense(expected)));
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(factors_are_those_of_dense_lu) {
  Runtime runtime(two_cores());
  for (const char* text : {"third", "bots", "band:1"}) {
    BOOST_TEST_CONTEXT(text) {
      BlockMatrix<double> a = tests::random_blocks<double>(runtime, structure(text, 9), {16, 4});
      DenseMatrix<double> all = dense(a);
      (void)factorize(runtime, a, 0.0);
      const Factorization<double> lapack(runtime, all,
                                         {.application = Application::lu, .tile = 200, .pivoting = Pivoting::none});
      BOOST_TEST(largest_difference(dense(a), all) < 1e-11);
      BlockMatrix<float> single = tests::random_blocks<float>(runtime, structure(text, 9), {16, 4});
      (void)factorize(runtime, single, 0.0);
      const DenseMatrix<float> factors = dense(single);
      double largest = 0;
      for (std::size_t i = 0; i < all.values.size(); ++i) {
        largest = std::max(largest, std::abs(all.values[i] - static_cast<double>(factors.values[i])));
      }
      BOOST_TEST(largest < 1e-2);
      BOOST_TEST(largest > 0);
    }
  }
}

BOOST_AUTO_TEST_CASE(runs_on_emulated_accelerators_with_little_memory) {
  for (const int side : {1, 3}) {
    BOOST_TEST_CONTEXT("side " << side) {
      RuntimeOptions options;
      options.cores = 1;
      options.threads.oversubscribe = true;
      options.accelerators.emulated_gpus.resize(2);
      for (platform::EmulationOptions& gpu : options.accelerators.emulated_gpus) gpu.memory = {256 * 1024};
      Runtime runtime(options);
      const BlockPattern pattern = structure("third", 12);
      BlockMatrix<double> expected = tests::random_blocks<double>(runtime, pattern, {24, side});
      (void)block_lu_in_sequence(expected, 0.0);
      BlockMatrix<double> a = tests::random_blocks<double>(runtime, pattern, {24, side});
      BOOST_TEST(a.bytes().count > 512U * 1024U);
      BOOST_TEST(factorize(runtime, a, 0.0).count == 0);
      BOOST_TEST(same_bits(dense(a), dense(expected)));
    }
  }
}

BOOST_AUTO_TEST_CASE(tiny_pivots_are_replaced_and_counted) {
  Runtime runtime(two_cores());
  for (const int side : {1, 3}) {
    BlockMatrix<double> a = tests::random_blocks<double>(runtime, structure("band:1", 6), {8, side});
    // In rows 29 and 35, all elements are zero except a tiny one on the diagonal.
    for (const std::int64_t row : {29, 35}) {
      for (std::int64_t col = 0; col < a.rows(); ++col) {
        if (a.pattern().full(static_cast<int>(row / 8), static_cast<int>(col / 8)))
          a(row, col) = row == col ? -1e-20 : 0;
      }
    }
    const kernels::ReplacedPivots replaced = factorize(runtime, a, 1e-6);
    BOOST_TEST(replaced.count == 2);
    BOOST_TEST(replaced.first == 29);
    BOOST_TEST(a(29, 29) == -1e-6);
    BOOST_TEST(a(35, 35) == -1e-6);
  }
}

BOOST_AUTO_TEST_CASE(a_zero_pivot_is_named_where_none_are_replaced) {
  Runtime runtime(two_cores());
  BlockMatrix<double> a = tests::random_blocks<double>(runtime, structure("band:0", 5), {4, 2});
  for (std::int64_t col = 8; col < 12; ++col) a(10, col) = 0;
  const ReplacedPivotCounts counts(runtime, a.supers());
  block_lu(runtime, a, counts, 0.0);
  BOOST_CHECK_EXCEPTION(runtime.wait(), Error, [](const Error& error) {
    return error.code() == ErrorCode::numerical && tests::contains(error.what(), "pivot 11 is exactly zero");
  });
}

BOOST_AUTO_TEST_CASE(products_alone_are_those_of_the_whole) {
  Runtime runtime(two_cores());
  const BlockPattern pattern = structure("band:1", 3);
  BlockMatrix<double> a = tests::random_blocks<double>(runtime, pattern, {4, 1});
  const BlockMatrix<double> before = tests::random_blocks<double>(runtime, pattern, {4, 1});
  const ReplacedPivotCounts counts(runtime, a.supers());
  block_lu(runtime, a, counts, {.steps = BlockSteps::products}, block_lu_kernels<double>());
  runtime.wait();
  BOOST_TEST(runtime.report().ended == 2U);
  // The panels must not change. From each block of the next diagonal, one product must be subtracted.
  for (int k = 0; k < 2; ++k) {
    BOOST_TEST(std::memcmp(a.block(k, k + 1).data, before.block(k, k + 1).data, 16 * sizeof(double)) == 0);
    double product = 0;
    for (int i = 0; i < 4; ++i) product += before.block(k + 1, k)(1, i) * before.block(k, k + 1)(i, 2);
    BOOST_TEST(a.block(k + 1, k + 1)(1, 2) == before.block(k + 1, k + 1)(1, 2) - product,
               boost::test_tools::tolerance(1e-12));
  }
}

BOOST_AUTO_TEST_CASE(indexes_of_reuse_are_positions_or_counts_of_uses) {
  Runtime runtime(two_cores());
  // There are 2 x 2 super-blocks of 2 x 2 blocks. None of the super-blocks is empty.
  const BlockMatrix<float> a(runtime, structure("band:1", 4), {4, 2});
  const auto positions = reuse_indexes(a, BlockReuse::position);
  const auto uses = reuse_indexes(a, BlockReuse::uses);
  const auto of_products = reuse_indexes(a, BlockReuse::uses, BlockSteps::products);
  BOOST_TEST(positions == (std::vector<std::int64_t>{0, 1, 1, 2}), boost::test_tools::per_element());
  // The first super-block is used by its factorization and two solves. Two super-blocks are used by a solve and a
  // product each. The last one is used by a product and a factorization.
  BOOST_TEST(uses == (std::vector<std::int64_t>{3, 2, 2, 2}), boost::test_tools::per_element());
  BOOST_TEST(of_products == (std::vector<std::int64_t>{0, 1, 1, 1}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_matrix_without_memory_has_the_same_blocks) {
  RuntimeOptions options;
  auto simulation = std::make_shared<SimulationOptions>();
  simulation->machine = platform::load_machine("amd-gtx470").value_or_throw();
  options.simulation = simulation;
  Runtime runtime(options);
  const BlockMatrix<double> a(runtime, structure("third", 7), {1 << 14, 3}, BlockStorage::none);
  Runtime other(two_cores());
  const BlockMatrix<double> real(other, structure("third", 7), {2, 3});
  BOOST_TEST(a.super_blocks().size() == real.super_blocks().size());
  BOOST_TEST(a.super_blocks().back().mask() == real.super_blocks().back().mask());
  BOOST_TEST(a.bytes().count == real.bytes().count * (std::uint64_t{1} << 26U));
}

/// Returns the priorities of all steps. Checks that no step has a higher priority than a step for which it waits.
std::vector<int> priorities(const BlockPattern& pattern, int side) {
  const std::vector<BlockStep> steps = block_lu_steps(pattern, side);
  const std::vector<int> result = block_lu_priorities(pattern, {64, side}, steps);
  BOOST_TEST_REQUIRE(result.size() == steps.size());
  for (std::size_t i = 0; i < steps.size(); ++i) {
    // A step waits for earlier steps that have written the blocks which the step reads.
    for (std::size_t j = 0; j < i; ++j) {
      const auto is_written = [&](int row, int col) { return steps[j].row == row && steps[j].col == col; };
      const bool waits = is_written(steps[i].row, steps[i].col) || is_written(steps[i].row, steps[i].k) ||
                         is_written(steps[i].k, steps[i].col);
      if (waits && result[i] > result[j]) BOOST_TEST(result[i] <= result[j], "step " << i << " comes before " << j);
    }
  }
  return result;
}

/// Blocks have 64 rows, so a group of columns consists of eight block columns.
BOOST_AUTO_TEST_CASE(priorities_are_those_of_groups_where_much_is_beside_the_critical_path) {
  const auto levels = [](const std::vector<int>& all) { return std::set<int>(all.begin(), all.end()).size(); };
  constexpr std::size_t kStepsOfThreeColumns = 3 + 3 * 2 + 4 + 1;
  BOOST_TEST(levels(priorities(structure("band:24", 24), 1)) == kStepsOfThreeColumns);
  BOOST_TEST(levels(priorities(structure("third", 24), 1)) == kStepsOfThreeColumns);
  BOOST_TEST(levels(priorities(structure("band:2", 20), 1)) > 40U);
  BOOST_TEST(levels(priorities(structure("band:20", 20), 5)) > 8U);
  BOOST_TEST(levels(priorities(structure("band:1", 1), 1)) == 1U);
}

BOOST_AUTO_TEST_CASE(what_cannot_be_cut_or_has_no_diagonal_is_refused) {
  Runtime runtime(two_cores());
  const auto refuses = [](const auto& use, std::string_view what) {
    BOOST_CHECK_EXCEPTION(use(), Error, [what](const Error& error) {
      return error.code() == ErrorCode::invalid_argument && tests::contains(error.what(), what);
    });
  };
  const BlockPattern pattern = structure("third", 4);
  refuses([&] { BlockMatrix<double>(runtime, pattern, {0, 2}); }, "a block of 0 rows");
  refuses([&] { BlockMatrix<double>(runtime, pattern, {4, 0}); }, "cannot have 0 x 0 blocks");
  refuses([&] { BlockMatrix<double>(runtime, pattern, {4, 9}); }, "1 x 1 to 8 x 8");
  BlockPattern hole(3);
  hole.set(0, 0);
  hole.set(2, 2);
  refuses([&] { (void)block_lu_steps(hole, 2); }, "block 2 on the diagonal is empty");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::linalg
