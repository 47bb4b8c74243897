// Tests LU with partial pivoting on tiles that are not contiguous in memory, and the orders in which tasks are
// submitted.
#include "linalg/lu.hpp"

#include <boost/test/unit_test.hpp>

#include "linalg/problem.hpp"
#include "linalg/residuals.hpp"
#include "troupe/runtime.hpp"

namespace troupe::linalg {

BOOST_AUTO_TEST_SUITE(lu_of_tiles)

namespace {

constexpr std::int64_t kOrder = 110;

RuntimeOptions two_workers() {
  RuntimeOptions options;
  options.cores = 2;
  options.threads.oversubscribe = true;
  return options;
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_storage_gives_the_same_pivots_and_solves_as_well) {
  Runtime runtime(two_workers());
  const DenseMatrix<double> original = assemble<double>(runtime, {ProblemKind::random, kOrder, kOrder, 3});
  const DenseMatrix<double> right = random_right_hand_side<double>(kOrder, 5, 7);
  std::vector<int> expected;
  for (const TileSize& tile : {TileSize(16), TileSize(32, 16), TileSize(1000)}) {
    for (const TileStorage storage : {TileStorage::columns, TileStorage::tiles}) {
      TiledMatrix<double> a(runtime, kOrder, kOrder, tile, storage);
      a.gather_from(original.values.data(), kOrder);
      const Pivots pivots(runtime, kOrder, tile.cols);
      lu(runtime, a, pivots);
      TiledMatrix<double> x(runtime, kOrder, 5, tile, storage);
      x.gather_from(right.values.data(), kOrder);
      lu_solve(runtime, a, pivots, x);
      DenseMatrix<double> solution(kOrder, 5);
      x.scatter_to(solution.values.data(), kOrder);
      runtime.wait();
      if (expected.empty()) expected = pivots.rows();
      BOOST_TEST(pivots.rows() == expected, boost::test_tools::per_element());
      const Residual factors = lu_residual(runtime, original, a, pivots.rows());
      BOOST_TEST(factors.accepted(), factors.formula << " = " << factors.value);
      double error = 0;
      for (std::int64_t j = 0; j < 5; ++j) {
        for (std::int64_t i = 0; i < kOrder; ++i) {
          double rest = right(i, j);
          for (std::int64_t k = 0; k < kOrder; ++k) rest -= original(i, k) * solution(k, j);
          error = std::max(error, std::abs(rest));
        }
      }
      BOOST_TEST(error < 1e-9);
    }
  }
}

BOOST_AUTO_TEST_CASE(without_pivoting_every_order_of_submission_gives_the_same_factors) {
  Runtime runtime(two_workers());
  const DenseMatrix<double> original = assemble<double>(runtime, {ProblemKind::random_definite, kOrder, kOrder, 3});
  const auto factors = [&](LuOrder order, TileSize tile) {
    TiledMatrix<double> a(runtime, kOrder, kOrder, tile);
    a.gather_from(original.values.data(), kOrder);
    lu_without_pivoting(runtime, a, kernels::codelets<double>(), order);
    DenseMatrix<double> result(kOrder, kOrder);
    a.scatter_to(result.values.data(), kOrder);
    runtime.wait();
    return result.values;
  };
  for (const TileSize& tile : {TileSize(16), TileSize(32, 16), TileSize(1000)}) {
    // In both orders, each tile gets the same tasks in the same order, so the results must be equal.
    BOOST_TEST((factors(LuOrder::by_columns, tile) == factors(LuOrder::panels_first, tile)));
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::linalg
