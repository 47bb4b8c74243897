// Tests LU with incremental pivoting, with matrices that need row exchanges and with many tile sizes.
#include "linalg/incremental_lu.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <string>
#include <utility>

#include "linalg/factorization.hpp"
#include "linalg/problem.hpp"
#include "linalg/residuals.hpp"
#include "tests/client/fixture.hpp"
#include "tests/support/tries.hpp"

namespace troupe::linalg {

BOOST_AUTO_TEST_SUITE(incremental_lu)

namespace {

template <class T>
void check(Runtime& runtime, const DenseMatrix<T>& a, const FactorizationOptions& options) {
  BOOST_TEST_CONTEXT("n = " << a.rows << ", tile " << options.tile_rows << " x " << options.tile << ", inner block "
                            << options.inner) {
    DenseMatrix<T> factors = a;
    Factorization<T> factorization(runtime, factors, options);
    for (const Residual& residual : factorization.residuals(a)) {
      BOOST_TEST(residual.accepted(), residual.formula << " = " << residual.value);
    }
    const DenseMatrix<T> b = random_right_hand_side<T>(a.rows, 3, 7);
    DenseMatrix<T> x = b;
    factorization.solve(x);
    const Residual solution = solve_residual(a, x, b);
    BOOST_TEST(solution.accepted(), solution.formula << " = " << solution.value);
  }
}

FactorizationOptions options_with(std::int64_t tile, std::int64_t tall, std::int64_t inner) {
  return {.application = Application::lu,
          .tile = tile,
          .tile_rows = tall * tile,
          .inner = inner,
          .pivoting = Pivoting::incremental};
}

template <class T>
void sweep(Runtime& runtime, const DenseMatrix<T>& a) {
  for (const std::int64_t tile : {1, 5, 16, 40, 200}) {
    if (tests::kSanitized && a.rows > 17 * tile) continue;
    for (const std::int64_t tall : {1, 3}) {
      for (const std::int64_t inner : {1, 4, 1000}) check(runtime, a, options_with(tile, tall, inner));
    }
  }
}

/// Returns the identity matrix with its rows in the opposite order. At most one tile on its diagonal is not zero.
template <class T>
DenseMatrix<T> reversed_identity(std::int64_t n) {
  DenseMatrix<T> a(n, n);
  for (std::int64_t i = 0; i < n; ++i) a(i, n - 1 - i) = 1;
  return a;
}

BOOST_AUTO_TEST_CASE(a_diagonal_of_zeros_is_no_obstacle) {
  Runtime runtime(tests::with_workers(2));
  for (const std::int64_t n : {2, 17, 64, 83}) {
    DenseMatrix<double> a = assemble<double>(runtime, {ProblemKind::random, n, n, 3});
    for (std::int64_t i = 0; i < n; ++i) a(i, i) = 0;
    sweep(runtime, a);
  }
}

BOOST_AUTO_TEST_CASE(pivots_are_found_in_the_last_tile) {
  Runtime runtime(tests::with_workers(2));
  for (const std::int64_t n : {1, 2, 17, 64, 83}) {
    sweep(runtime, reversed_identity<double>(n));
    sweep(runtime, reversed_identity<float>(n));
  }
}

BOOST_AUTO_TEST_CASE(many_tiles_one_below_the_other_are_accurate) {
  Runtime runtime(tests::with_workers(2));
  check(runtime, assemble<double>(runtime, {ProblemKind::random, 400, 400, 1}), options_with(8, 1, 4));
  check(runtime, assemble<float>(runtime, {ProblemKind::random, 400, 400, 2}), options_with(8, 1, 8));
}

BOOST_AUTO_TEST_CASE(one_tile_has_the_factors_of_partial_pivoting) {
  constexpr std::int64_t kOrder = 60;
  Runtime runtime(tests::with_workers(2));
  const DenseMatrix<double> a = assemble<double>(runtime, {ProblemKind::random, kOrder, kOrder, 3});
  DenseMatrix<double> incremental = a;
  DenseMatrix<double> partial = a;
  FactorizationOptions options = options_with(16, 4, 4);
  const Factorization<double> one(runtime, incremental, options);
  options.pivoting = Pivoting::partial;
  options.tile = options.tile_rows = kOrder;
  const Factorization<double> other(runtime, partial, options);
  double difference = 0;
  for (std::int64_t j = 0; j < kOrder; ++j) {
    for (std::int64_t i = 0; i <= j; ++i) {
      difference = std::max(difference, std::abs(incremental(i, j) - partial(i, j)));
    }
  }
  BOOST_TEST(difference < 1e-12);
}

BOOST_AUTO_TEST_CASE(a_solution_does_not_wait_for_the_factorization) {
  constexpr std::int64_t kOrder = 90;
  Runtime runtime(tests::with_workers(2));
  const DenseMatrix<double> a = assemble<double>(runtime, {ProblemKind::random, kOrder, kOrder, 3});
  const DenseMatrix<double> b = random_right_hand_side<double>(kOrder, 30, 4);
  TiledMatrix<double> tiles(runtime, kOrder, kOrder, 16);
  tiles.gather_from(a.values.data(), kOrder);
  TiledMatrix<double> right(runtime, kOrder, 30, 16);
  right.gather_from(b.values.data(), kOrder);
  IncrementalFactors<double> factors(runtime, tiles, 4);
  lu_incremental(runtime, tiles, factors);
  lu_incremental_solve(runtime, tiles, factors, right);
  DenseMatrix<double> x(kOrder, 30);
  right.scatter_to(x.values.data(), kOrder);
  runtime.wait();
  BOOST_TEST(solve_residual(a, x, b).accepted());
}

std::string breakdown(Runtime& runtime, DenseMatrix<double> a, const FactorizationOptions& options) {
  try {
    const Factorization<double> factorization(runtime, a, options);
  } catch (const Error& error) {
    BOOST_TEST((error.code() == ErrorCode::numerical));
    return error.what();
  }
  return {};
}

BOOST_AUTO_TEST_CASE(two_equal_rows_of_different_tiles_are_a_breakdown) {
  constexpr std::int64_t kOrder = 40;
  Runtime runtime(tests::with_workers(2));
  // All numbers are small integers, so eliminated elements are exactly zero.
  DenseMatrix<double> a(kOrder, kOrder);
  for (std::int64_t i = 0; i < kOrder; ++i) {
    a(i, i) = 2;
    if (i + 1 < kOrder) a(i, i + 1) = 1;
  }
  for (std::int64_t j = 0; j < kOrder; ++j) a(kOrder - 1, j) = a(3, j);
  for (const std::int64_t tile : {1, 8, 40}) {
    BOOST_TEST(breakdown(runtime, a, options_with(tile, 1, 4)) == "the matrix is singular: pivot 40 is exactly zero");
  }
}

BOOST_AUTO_TEST_CASE(what_is_no_number_does_not_stop_anything) {
  constexpr std::int64_t kOrder = 40;
  Runtime runtime(tests::with_workers(2));
  DenseMatrix<double> a = assemble<double>(runtime, {ProblemKind::random, kOrder, kOrder, 3});
  a(20, 5) = std::numeric_limits<double>::quiet_NaN();
  DenseMatrix<double> factors = a;
  Factorization<double> factorization(runtime, factors, options_with(8, 1, 4));
  for (const Residual& residual : factorization.residuals(a)) BOOST_TEST(!residual.accepted());
}

BOOST_AUTO_TEST_CASE(an_inner_block_without_columns_is_refused) {
  Runtime runtime(tests::with_workers(2));
  TiledMatrix<double> a(runtime, 10, 10, 4);
  for (const std::int64_t inner : {0, -3}) {
    BOOST_CHECK_EXCEPTION(IncrementalFactors<double>(runtime, a, inner), Error, [](const Error& error) {
      return error.code() == ErrorCode::invalid_argument &&
             std::string(error.what()).find("inner block") != std::string::npos;
    });
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::linalg
