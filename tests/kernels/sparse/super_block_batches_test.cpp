#include "kernels/sparse/super_block_batches.hpp"

#include <boost/test/unit_test.hpp>
#include <set>
#include <tuple>
#include <vector>

#include "kernels/blas_threads.hpp"
#include "kernels/block_rows.hpp"
#include "kernels/products.hpp"
#include "kernels/sparse/super_block_steps.hpp"
#include "proto/random.hpp"

namespace troupe::kernels {

BOOST_AUTO_TEST_SUITE(super_block_batches)

namespace batches_test {

constexpr std::int64_t kBlock = 5;
using Kind = BlockBatch::Kind;

BlockMask all_of(int side) { return ~BlockMask{0} >> (kLargestSide * kLargestSide - side * side); }

/// Returns a random mask. If `diagonal`, no block on the diagonal is empty, as in super-blocks on the diagonal of a
/// matrix.
BlockMask random_mask(std::uint64_t seed, int side, bool diagonal) {
  Random random(seed);
  BlockMask mask = random.next() & all_of(side);
  for (int k = 0; k < side; ++k) mask |= diagonal ? block_bit(k, k, side) : 0;
  return mask;
}

/// A super-block with its own memory. If `diagonal`, it is diagonally dominant.
struct Blocks {
  Blocks(std::uint64_t seed, int of_side, bool diagonal)
      : mask(random_mask(seed, of_side, diagonal)),
        side(of_side),
        values(static_cast<std::size_t>(kBlock * kBlock * std::popcount(mask))) {
    Random random(seed);
    for (double& value : values) value = static_cast<double>(random.below(2001)) / 1000 - 1;
    for (int k = 0; diagonal && k < side; ++k) {
      for (std::int64_t i = 0; i < kBlock; ++i) view().block(k, k)(i, i) += kBlock * side;
    }
  }
  [[nodiscard]] SuperBlock<double> view() {
    const auto width = static_cast<std::int64_t>(values.size()) / kBlock;
    return {{values.data(), kBlock, width, kBlock}, mask, side};
  }
  [[nodiscard]] SuperBlock<const double> read() { return view().constant(); }

  BlockMask mask;
  int side;
  std::vector<double> values;
};

MatrixView<double> at(Blocks& of, int place) { return columns_from(of.view().packed(), place * kBlock, kBlock); }

/// Executes the batched calls with the kernels for cores. Within one call, the operations run in the reverse order,
/// because the result must not depend on their order.
void run(const BlockBatches& batches, Blocks& left, Blocks& right, Blocks& result) {
  const BlockPlaces& places = batches.places();
  for (const BlockBatch& batch : batches.calls()) {
    for (int i = batch.first + batch.count; i-- > batch.first;) {
      const auto a = constant(at(left, places.left[i]));
      const auto b = constant(at(right, places.right[i]));
      const auto c = at(result, places.result[i]);
      ReplacedPivots replaced;
      switch (batch.kind) {
        case Kind::factorize: BOOST_TEST(getrf_replacing_pivots(c, 0.0, replaced) == 0); break;
        case Kind::solve_upper: solve_triangular('R', 'U', 'N', 'N', b, c); break;
        case Kind::solve_lower: solve_triangular('L', 'L', 'N', 'U', a, c); break;
        case Kind::multiply: multiply('N', 'N', -1.0, a, b, 1.0, c); break;
      }
    }
  }
}

template <class Step>
void run_pieces(const Step& step) {
  for (int i = 0; i < step.count(); ++i) step.piece(i);
}

/// The super-blocks to which the operands belong. Two operands of a task may be the same super-block.
struct Owners {
  int left;
  int right;
  int result;
};

/// Checks that no call writes a block twice, or writes a block that it also reads. Checks that the calls are sorted by
/// their step `k`, and that no step has two calls of the same kind.
void check_calls(const BlockBatches& batches, const Owners& owner) {
  const BlockPlaces& places = batches.places();
  std::set<std::pair<int, Kind>> seen;
  int before = 0;
  int blocks = 0;
  for (const BlockBatch& batch : batches.calls()) {
    BOOST_TEST(batch.k >= before);
    before = batch.k;
    BOOST_TEST(seen.insert({batch.k, batch.kind}).second);
    BOOST_TEST(batch.count > 0);
    BOOST_TEST(batch.first == blocks);
    blocks += batch.count;
    std::set<std::pair<int, int>> written;
    for (int i = batch.first; i < blocks; ++i) {
      BOOST_TEST(written.insert({owner.result, places.result[i]}).second);
    }
    for (int i = batch.first; i < blocks; ++i) {
      const bool reads_left = batch.kind == Kind::solve_lower || batch.kind == Kind::multiply;
      const bool reads_right = batch.kind == Kind::solve_upper || batch.kind == Kind::multiply;
      BOOST_TEST(!(reads_left && written.contains({owner.left, places.left[i]})));
      BOOST_TEST(!(reads_right && written.contains({owner.right, places.right[i]})));
    }
  }
  BOOST_TEST(batches.count() == blocks);
}

}  // namespace batches_test

using namespace batches_test;  // NOLINT: a test of its own

BOOST_AUTO_TEST_CASE(their_results_are_those_of_the_steps_on_cores_to_the_last_bit) {
  const auto quiet = single_threaded_blas();
  for (const int side : {1, 2, 3, 5, 8}) {
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
      BOOST_TEST_CONTEXT("side " << side << ", seed " << seed) {
        Blocks d(seed, side, true);
        Blocks factored = d;
        ReplacedPivots replaced;
        BOOST_TEST(factorize_super_block(factored.view(), 0.0, replaced) == 0);
        const BlockBatches of_diagonal = factorization_batches(d.mask, side);
        check_calls(of_diagonal, {0, 0, 0});
        run(of_diagonal, d, d, d);
        BOOST_TEST((d.values == factored.values));

        Blocks a(seed + 100, side, false);
        Blocks solved = a;
        run_pieces(SolveWithUpper<double>(d.read(), solved.view()));
        const BlockBatches of_upper = upper_solve_batches(d.mask, a.mask, side);
        check_calls(of_upper, {1, 0, 1});
        run(of_upper, a, d, a);
        BOOST_TEST((a.values == solved.values));

        Blocks b(seed + 200, side, false);
        solved = b;
        run_pieces(SolveWithLower<double>(d.read(), solved.view()));
        const BlockBatches of_lower = lower_solve_batches(d.mask, b.mask, side);
        check_calls(of_lower, {0, 1, 1});
        run(of_lower, d, b, b);
        BOOST_TEST((b.values == solved.values));

        Blocks c(seed + 300, side, false);
        Blocks changed = c;
        run_pieces(SubtractProduct<double>(a.read(), b.read(), changed.view()));
        const BlockBatches of_product = product_batches(a.mask, b.mask, c.mask, side);
        check_calls(of_product, {0, 1, 2});
        run(of_product, a, b, c);
        BOOST_TEST((c.values == changed.values));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(the_number_of_calls_depends_on_the_side_and_not_on_the_number_of_blocks) {
  for (int side = 1; side <= kLargestSide; ++side) {
    const BlockMask all = all_of(side);
    const auto n = static_cast<std::size_t>(side);
    BOOST_TEST(product_batches(all, all, all, side).calls().size() == n);
    BOOST_TEST(product_batches(all, all, all, side).count() == side * side * side);
    // No product follows the last step of a super-block, so its last step has fewer calls.
    BOOST_TEST(upper_solve_batches(all, all, side).calls().size() == 2 * n - 1);
    BOOST_TEST(lower_solve_batches(all, all, side).calls().size() == 2 * n - 1);
    BOOST_TEST(factorization_batches(all, side).calls().size() == 4 * n - 3);
    for (const BlockBatches& most : {product_batches(all, all, all, side), upper_solve_batches(all, all, side),
                                     lower_solve_batches(all, all, side), factorization_batches(all, side)}) {
      BOOST_TEST(most.count() <= kMostBatched);
    }
  }
  BOOST_TEST(product_batches(block_bit(0, 1, 3), block_bit(2, 0, 3), all_of(3), 3).calls().empty());
  BOOST_TEST(product_batches(block_bit(0, 1, 3), block_bit(1, 0, 3), 0, 3).calls().empty());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::kernels
