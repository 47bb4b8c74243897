#include "linalg/residuals.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <utility>

#include "linalg/cholesky.hpp"
#include "linalg/problem.hpp"
#include "tests/client/fixture.hpp"

// Tests that the checks of results can fail: these factors and solutions are slightly wrong.
namespace troupe::linalg {

namespace residuals {

constexpr std::int64_t kOrder = 60;
constexpr std::int64_t kTile = 16;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

struct ResidualFixture {
  ResidualFixture() : runtime(tests::with_workers(2)) {}

  DenseMatrix<double> assembled(ProblemKind kind, std::int64_t rows = kOrder, std::int64_t cols = kOrder) {
    return assemble<double>(runtime, {kind, rows, cols, 1});
  }
  TiledMatrix<double> tiled(const DenseMatrix<double>& a) {
    TiledMatrix<double> tiles(runtime, a.rows, a.cols, kTile, TileStorage::columns);
    tiles.gather_from(a.values.data(), a.rows);
    return tiles;
  }
  /// Adds `amount` to element (i, j).
  void perturb(TiledMatrix<double>& tiles, std::int64_t i, std::int64_t j, double amount) {
    const auto access =
        runtime.acquire(tiles(static_cast<int>(i / kTile), static_cast<int>(j / kTile)), AccessMode::read_write);
    access.matrix<double>()(i % kTile, j % kTile) += amount;
  }

  Runtime runtime;
};

/// Changes elements one by one. The check `accepted` must notice the change of each element that it uses. `used`
/// returns true for these elements.
template <class Accepted, class Used>
void expect_rejections(ResidualFixture& fixture, TiledMatrix<double>& tiles, const Accepted& accepted,
                       const Used& used) {
  fixture.runtime.wait();
  BOOST_TEST(accepted());
  for (const auto& [i, j] : {std::pair{0, 0}, {5, 5}, {17, 3}, {3, 17}, {59, 59}, {59, 40}, {40, 59}, {33, 33}}) {
    for (const double amount : {1e-6, -1.0, kNan}) {
      BOOST_TEST_CONTEXT("element " << i << ", " << j << " changed by " << amount) {
        TiledMatrix<double> saved(fixture.runtime, tiles.rows(), tiles.cols(), kTile, TileStorage::columns);
        DenseMatrix<double> before(tiles.rows(), tiles.cols());
        tiles.scatter_to(before.values.data(), before.rows);
        fixture.perturb(tiles, i, j, amount);
        BOOST_TEST(accepted() == !used(i, j));
        tiles.gather_from(before.values.data(), before.rows);
        fixture.runtime.wait();
      }
    }
  }
  BOOST_TEST(accepted());
}

}  // namespace residuals

BOOST_FIXTURE_TEST_SUITE(residuals, ResidualFixture)

BOOST_AUTO_TEST_CASE(notice_a_wrong_cholesky_factor) {
  const DenseMatrix<double> a = assembled(ProblemKind::covariance);
  TiledMatrix<double> l = tiled(a);
  cholesky(runtime, l);
  expect_rejections(
      *this, l, [&] { return cholesky_residual(runtime, a, l).accepted(); }, [](int i, int j) { return i >= j; });
}

BOOST_AUTO_TEST_CASE(notice_a_wrong_lu_factor) {
  const DenseMatrix<double> a = assembled(ProblemKind::random);
  TiledMatrix<double> factors = tiled(a);
  const Pivots pivots(runtime, kOrder, kTile);
  lu(runtime, factors, pivots);
  expect_rejections(
      *this, factors, [&] { return lu_residual(runtime, a, factors, pivots.rows()).accepted(); },
      [](int, int) { return true; });
}

BOOST_AUTO_TEST_CASE(notice_wrong_pivots) {
  const DenseMatrix<double> a = assembled(ProblemKind::random);
  TiledMatrix<double> factors = tiled(a);
  const Pivots pivots(runtime, kOrder, kTile);
  lu(runtime, factors, pivots);
  runtime.wait();
  std::vector<int> wrong = pivots.rows();
  BOOST_TEST(lu_residual(runtime, a, factors, wrong).accepted());
  wrong[7] = wrong[7] == 30 ? 31 : 30;
  BOOST_TEST(!lu_residual(runtime, a, factors, wrong).accepted());
  for (const int impossible : {-1, static_cast<int>(kOrder), std::numeric_limits<int>::max()}) {
    wrong[7] = impossible;
    BOOST_CHECK_EXCEPTION(lu_residual(runtime, a, factors, wrong), Error,
                          [](const Error& error) { return error.code() == ErrorCode::invalid_argument; });
  }
}

BOOST_AUTO_TEST_CASE(notice_a_wrong_lu_factor_without_pivoting) {
  const DenseMatrix<double> a = assembled(ProblemKind::random_definite);
  TiledMatrix<double> factors = tiled(a);
  lu_without_pivoting(runtime, factors);
  expect_rejections(
      *this, factors, [&] { return lu_residual(runtime, a, factors, {}).accepted(); }, [](int, int) { return true; });
}

BOOST_AUTO_TEST_CASE(notice_wrong_factors_of_incremental_pivoting) {
  const DenseMatrix<double> a = assembled(ProblemKind::random);
  TiledMatrix<double> factors = tiled(a);
  IncrementalFactors<double> pairs(runtime, factors, 5);
  lu_incremental(runtime, factors, pairs);
  const auto accepted = [&] { return incremental_lu_residual(runtime, a, factors, pairs).accepted(); };
  // The check does not use the elements below the diagonal of a diagonal tile: it reads L from the copy beside the
  // tile.
  expect_rejections(*this, factors, accepted,
                    [&](std::int64_t i, std::int64_t j) { return i <= j || i / kTile != j / kTile; });
  BOOST_TEST(accepted());
  const auto change = [&](const Handle& beside, double amount) {
    runtime.acquire(beside, AccessMode::read_write).matrix<double>()(3, 2) += amount;
  };
  for (const Handle& beside : {pairs.diagonal(0), pairs.lower(0, 1), pairs.lower(1, 2)}) {
    change(beside, 0.5);
    BOOST_TEST(!accepted());
    change(beside, -0.5);
  }
  const auto exchange = [&](const Handle& pivots, int row) {
    return std::exchange(runtime.acquire(pivots, AccessMode::read_write).vector<int>()[7], row);
  };
  for (const Handle& pivots : {pairs.pivots(0, 0), pairs.pivots(1, 1)}) {
    const int right = exchange(pivots, 8);
    exchange(pivots, right == 8 ? 9 : 8);
    BOOST_TEST(!accepted());
    exchange(pivots, right);
  }
  BOOST_TEST(accepted());
}

BOOST_AUTO_TEST_CASE(notice_a_wrong_qr_factor) {
  const DenseMatrix<double> a = assembled(ProblemKind::random);
  TiledMatrix<double> factors = tiled(a);
  QrFactors<double> reflectors(runtime, factors, 5);
  qr(runtime, factors, reflectors);
  const auto accepted = [&] {
    const std::vector<Residual> both = qr_residuals(runtime, a, factors, reflectors);
    return both[0].accepted() && both[1].accepted();
  };
  // The check does not use the elements below the diagonal of a diagonal tile: it reads the reflectors from `diagonal`.
  expect_rejections(*this, factors, accepted, [](int i, int j) { return i <= j || i / kTile != j / kTile; });
  // An element that the check uses: above the diagonal of a triangular factor, or below the diagonal in reflectors.
  struct Element {
    Handle handle;
    int i;
    int j;
  };
  for (const auto& [handle, i, j] :
       {Element{reflectors.t(0, 0), 1, 2}, Element{reflectors.t(2, 1), 0, 3}, Element{reflectors.diagonal(1), 2, 1}}) {
    const double before = std::exchange(runtime.acquire(handle, AccessMode::read_write).matrix<double>()(i, j), 0.5);
    BOOST_TEST(!accepted());
    runtime.acquire(handle, AccessMode::read_write).matrix<double>()(i, j) = before;
    BOOST_TEST(accepted());
  }
}

BOOST_AUTO_TEST_CASE(notice_that_q_is_not_orthogonal_even_where_the_product_is_right) {
  // If the matrix is zero, Q R with R = 0 is right for every Q.
  const DenseMatrix<double> a(kOrder, kOrder);
  TiledMatrix<double> factors = tiled(a);
  QrFactors<double> reflectors(runtime, factors, 5);
  qr(runtime, factors, reflectors);
  {
    const auto access = runtime.acquire(reflectors.t(1, 1), AccessMode::read_write);
    access.matrix<double>()(0, 0) += 1e-6;
  }
  const std::vector<Residual> both = qr_residuals(runtime, a, factors, reflectors);
  BOOST_TEST(both[0].accepted());
  BOOST_TEST(!both[1].accepted());
}

BOOST_AUTO_TEST_CASE(notice_a_wrong_solution) {
  const DenseMatrix<double> a = assembled(ProblemKind::random_definite);
  DenseMatrix<double> x = random_right_hand_side<double>(kOrder, 3, 1);
  DenseMatrix<double> b(kOrder, 3);
  for (std::int64_t r = 0; r < 3; ++r) {
    for (std::int64_t j = 0; j < kOrder; ++j) {
      for (std::int64_t i = 0; i < kOrder; ++i) b(i, r) += a(i, j) * x(j, r);
    }
  }
  BOOST_TEST(solve_residual(a, x, b).accepted());
  for (const double wrong : {1e-6, -1.0, kNan, std::numeric_limits<double>::infinity()}) {
    for (const auto& [i, r] : {std::pair{0, 0}, {59, 1}, {17, 2}}) {
      DenseMatrix<double> other = x;
      other(i, r) += wrong;
      BOOST_TEST(!solve_residual(a, other, b).accepted());
    }
  }
  const DenseMatrix<double> zeros(kOrder, 3);
  BOOST_TEST(!solve_residual(a, zeros, b).accepted());
  BOOST_TEST(solve_residual(a, zeros, zeros).accepted());
}

BOOST_AUTO_TEST_CASE(are_on_the_scale_of_the_precision) {
  // Returns the residual of a 1 x 1 system whose right-hand side is wrong by `roundings` rounding units.
  const auto error_of = [](auto one, double roundings) {
    using T = decltype(one);
    DenseMatrix<T> a(1, 1);
    DenseMatrix<T> x(1, 1);
    a(0, 0) = x(0, 0) = one;
    DenseMatrix<T> b = x;
    b(0, 0) += static_cast<T>(roundings * static_cast<double>(std::numeric_limits<T>::epsilon()) / 2);
    return solve_residual(a, x, b).value;
  };
  BOOST_TEST(error_of(1.0, 100) == 100, boost::test_tools::tolerance(1e-12));
  BOOST_TEST(error_of(1.0F, 100) == 100, boost::test_tools::tolerance(1e-12));
}

BOOST_AUTO_TEST_CASE(refuse_matrices_that_do_not_belong_together) {
  const auto refused = [](const DenseMatrix<double>& a, const DenseMatrix<double>& x, const DenseMatrix<double>& b) {
    BOOST_CHECK_EXCEPTION((void)solve_residual(a, x, b), Error,
                          [](const Error& error) { return error.code() == ErrorCode::invalid_argument; });
  };
  const DenseMatrix<double> a(3, 3);
  refused(a, DenseMatrix<double>(2, 1), DenseMatrix<double>(3, 1));
  refused(a, DenseMatrix<double>(3, 1), DenseMatrix<double>(4, 1));
  refused(a, DenseMatrix<double>(3, 2), DenseMatrix<double>(3, 1));
}

BOOST_AUTO_TEST_CASE(never_accept_what_is_no_number_or_overflows) {
  BOOST_TEST(!Residual({"", kNan}).accepted());
  BOOST_TEST(!Residual({"", std::numeric_limits<double>::infinity()}).accepted());
  BOOST_TEST(!Residual({"", kResidualBound}).accepted());
  DenseMatrix<double> a(2, 2);
  a(0, 0) = a(1, 0) = std::numeric_limits<double>::max();  // The sum of these two elements is infinite.
  a(1, 1) = 1;
  DenseMatrix<double> x(2, 1);
  x(1, 0) = 1;
  const DenseMatrix<double> wrong(2, 1);
  BOOST_TEST(!solve_residual(a, x, wrong).accepted());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::linalg
