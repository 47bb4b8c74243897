// Tests LU of a tile and of pairs of tiles, and the updates of other columns. Compares with matrix products, and with
// LAPACK on the pair as one matrix.
#include "kernels/incremental_pivoting.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <string>
#include <utility>
#include <vector>

#include "kernels/codelets.hpp"
#include "kernels/factor.hpp"
#include "tests/kernels/tile_matrix.hpp"
#include "troupe/errors.hpp"

namespace troupe::kernels {

BOOST_AUTO_TEST_SUITE(incremental_pivoting)

namespace {

using namespace tests::tiles;  // NOLINT: this test uses many names of tests::tiles

constexpr std::int64_t kZero = 0;
constexpr std::int64_t kInners[] = {1, 3, 16, 65};

template <class T>
TileMatrix<T> stacked(const TileMatrix<T>& upper, const TileMatrix<T>& lower) {
  TileMatrix<T> result(upper.rows() + lower.rows(), upper.cols());
  for (std::int64_t j = 0; j < upper.cols(); ++j) {
    for (std::int64_t i = 0; i < upper.rows(); ++i) result(i, j) = upper(i, j);
    for (std::int64_t i = 0; i < lower.rows(); ++i) result(upper.rows() + i, j) = lower(i, j);
  }
  return result;
}

/// A pair of tiles that the codelet tstrf has factorized.
template <class T>
struct FactorizedPair {
  /// `above` is the number of rows of the upper tile above the triangle.
  FactorizedPair(std::int64_t n, std::int64_t rows, std::int64_t inner, std::int64_t above = 0)
      : above(above),
        before_u(TileMatrix<T>::random(above + n, n + 2, 5)),
        before_b(TileMatrix<T>::random(rows, n, 6)),
        u(before_u),
        b(before_b),
        l(TileMatrix<T>(std::min(inner, n), n)),
        pivots(static_cast<std::size_t>(n)) {}
  void factorize(std::int64_t first = 0, std::int64_t last = 0) {
    run(codelets<T>().tstrf, {u.view(), b.view(), l.view(), view(pivots)}, args(above, first, last));
  }
  [[nodiscard]] TileMatrix<T> triangle(const TileMatrix<T>& of) const {
    TileMatrix<T> result(b.cols(), b.cols());
    for (std::int64_t j = 0; j < b.cols(); ++j) {
      for (std::int64_t i = 0; i <= j; ++i) result(i, j) = of(above + i, j);
    }
    return result;
  }

  std::int64_t above;
  TileMatrix<T> before_u, before_b, u, b, l;
  std::vector<int> pivots;
};

BOOST_AUTO_TEST_CASE_TEMPLATE(a_pair_times_its_factors_is_what_it_was, T, Precisions) {
  for (const std::int64_t n : kOrders) {
    for (const std::int64_t rows : {std::int64_t{1}, n, 2 * n + 3}) {
      for (const std::int64_t inner : kInners) {
        BOOST_TEST_CONTEXT(rows << " rows, " << n << " columns, inner block " << inner) {
          FactorizedPair<T> pair(n, rows, inner, 2);
          pair.factorize();
          const auto of_triangle = [](auto i, auto j) { return i >= 2 && i - 2 <= j; };
          BOOST_TEST(untouched_outside(pair.u, pair.before_u, of_triangle));
          BOOST_TEST((pair.b.gaps_are_untouched() && pair.l.gaps_are_untouched()));
          // Undoing the elimination of the pair's own columns must give back the original matrix.
          TileMatrix<T> top = pair.triangle(pair.u);
          TileMatrix<T> bottom(rows, n);
          run(codelets<T>().ssssm_back, {pair.b.view(), pair.l.view(), view(pair.pivots), top.view(), bottom.view()},
              args(kZero));
          BOOST_TEST(same(top, pair.triangle(pair.before_u)));
          BOOST_TEST(same(bottom, pair.before_b));
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(one_block_has_the_factors_of_partial_pivoting, T, Precisions) {
  for (const std::int64_t n : kOrders) {
    FactorizedPair<T> pair(n, n + 4, n);
    TileMatrix<T> whole = stacked(pair.triangle(pair.before_u), pair.before_b);
    std::vector<int> expected(static_cast<std::size_t>(n));
    factor_panel(MatrixView<T>{&whole(0, 0), whole.rows(), n, whole.ld()}, std::span(expected));
    pair.factorize();
    BOOST_TEST(pair.pivots == expected, boost::test_tools::per_element());
    BOOST_TEST(same(stacked(pair.triangle(pair.u), pair.b), whole, [&](auto i, auto j) { return i <= j || i >= n; }));
    BOOST_TEST(same(pair.l, rows_from(whole, 0, n), [](auto i, auto j) { return i > j; }));
    BOOST_TEST(same(part_of(pair.l, on_and_above), TileMatrix<T>(n, n)));
  }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(no_multiplier_is_larger_than_one, T, Precisions) {
  for (const std::int64_t inner : kInners) {
    FactorizedPair<T> pair(31, 40, inner);
    for (std::int64_t i = 0; i < 31; ++i) pair.u(i, i) = 0;
    pair.factorize();
    for (std::int64_t j = 0; j < 31; ++j) {
      BOOST_TEST(pair.u(j, j) != T{0});
      for (std::int64_t i = 0; i < 40; ++i) BOOST_TEST(std::abs(pair.b(i, j)) <= T{1});
      for (std::int64_t i = 0; i < pair.l.rows(); ++i) BOOST_TEST(std::abs(pair.l(i, j)) <= T{1});
    }
  }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(other_columns_are_eliminated_as_if_they_had_been_factorized_too, T, Precisions) {
  // The last columns of a pair of n + kExtra columns are eliminated separately and compared.
  constexpr std::int64_t kExtra = 9;
  for (const std::int64_t n : kOrders) {
    for (const std::int64_t inner : kInners) {
      FactorizedPair<T> pair(n, n + 4, inner);
      pair.factorize();
      const TileMatrix<T> before_a = TileMatrix<T>::random(n + 3, kExtra, 7);
      const TileMatrix<T> before_c = TileMatrix<T>::random(n + 4, kExtra, 8);
      TileMatrix<T> a = before_a;
      TileMatrix<T> c = before_c;
      const std::vector<DataView> views{pair.b.view(), pair.l.view(), view(pair.pivots), a.view(), c.view()};
      run(codelets<T>().ssssm, views, args(std::int64_t{3}));
      BOOST_TEST(untouched_outside(a, before_a, [](auto i, auto) { return i >= 3; }));
      if (inner >= n) {
        // With one inner block, the test calculates the expected result, L^-1 P times the columns, itself.
        TileMatrix<T> expected = stacked(rows_from(before_a, 3, n), before_c);
        for (std::int64_t k = 0; k < n; ++k) {
          for (std::int64_t j = 0; j < kExtra; ++j)
            std::swap(expected(k, j), expected(pair.pivots[static_cast<std::size_t>(k)], j));
        }
        const TileMatrix<T> factors = stacked(pair.l, pair.b);
        for (std::int64_t k = 0; k < n; ++k) {
          for (std::int64_t i = k + 1; i < expected.rows(); ++i) {
            for (std::int64_t j = 0; j < kExtra; ++j) expected(i, j) -= factors(i, k) * expected(k, j);
          }
        }
        BOOST_TEST(same(stacked(rows_from(a, 3, n), c), expected));
      }
      run(codelets<T>().ssssm_back, views, args(std::int64_t{3}));
      BOOST_TEST((same(a, before_a) && same(c, before_c)));
    }
  }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(a_tile_on_the_diagonal_is_factorized_and_applied_from_the_diagonal_on, T, Precisions) {
  for (const std::int64_t n : kOrders) {
    for (const Around& around : kAround) {
      const TileMatrix<T> before = tall(TileMatrix<T>::random(n, n, 3), around);
      TileMatrix<T> d = before;
      TileMatrix<T> v(n + around.below, n);
      std::vector<int> pivots(static_cast<std::size_t>(n));
      run(codelets<T>().getrf_incpiv, {d.view(), v.view(), view(pivots)}, args(kZero, kZero));
      const std::int64_t above = around.above;
      BOOST_TEST(untouched_outside(d, before, [&](auto i, auto) { return i >= above; }));
      BOOST_TEST(same(v, rows_from(d, above, v.rows())));
      // Undoing the elimination of the tile's own columns must give back the original tile: P A = L U.
      TileMatrix<T> upper(d.rows(), n);
      for (std::int64_t j = 0; j < n; ++j) {
        for (std::int64_t i = 0; i <= j; ++i) upper(above + i, j) = d(above + i, j);
      }
      run(codelets<T>().gessm_back, {v.view(), view(pivots), upper.view()});
      BOOST_TEST(same(rows_from(upper, above, v.rows()), rows_from(before, above, v.rows())));
      run(codelets<T>().gessm, {v.view(), view(pivots), upper.view()});
      for (std::int64_t j = 0; j < n; ++j) {
        for (std::int64_t i = 0; i < v.rows(); ++i) {
          const T expected = i <= j ? v(i, j) : T{0};
          BOOST_TEST(std::abs(upper(above + i, j) - expected) <= 2000 * std::numeric_limits<T>::epsilon());
        }
      }
    }
  }
}

std::string error_of(const Codelet& codelet, const std::vector<DataView>& views, const Arguments& arguments) {
  try {
    run(codelet, views, arguments);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

BOOST_AUTO_TEST_CASE(a_zero_on_the_diagonal_is_a_breakdown_where_no_tile_is_left) {
  constexpr std::int64_t kFirst = 100;
  for (const std::int64_t last : {0, 1}) {
    FactorizedPair<double> pair(7, 9, 3);
    for (std::int64_t i = 0; i < 7; ++i) pair.u(i, 4) = 0;
    for (std::int64_t i = 0; i < 9; ++i) pair.b(i, 4) = 0;
    const std::string expected = last == 1 ? "the matrix is singular: pivot 105 is exactly zero" : "";
    BOOST_TEST(error_of(codelets<double>().tstrf, {pair.u.view(), pair.b.view(), pair.l.view(), view(pair.pivots)},
                        args(kZero, kFirst, last)) == expected);
    BOOST_TEST(pair.u(4, 4) == 0);
    TileMatrix<double> d = TileMatrix<double>::random(7, 7, 1);
    for (std::int64_t i = 0; i < 7; ++i) d(i, 4) = 0;
    TileMatrix<double> v(7, 7);
    BOOST_TEST(error_of(codelets<double>().getrf_incpiv, {d.view(), v.view(), view(pair.pivots)}, args(kFirst, last)) ==
               expected);
  }
}

BOOST_AUTO_TEST_CASE(a_pivot_that_names_no_row_is_refused) {
  FactorizedPair<double> pair(7, 9, 3);
  pair.factorize();
  TileMatrix<double> a = TileMatrix<double>::random(7, 2, 1);
  TileMatrix<double> c = TileMatrix<double>::random(9, 2, 2);
  for (const int impossible : {-1, 16, 1 << 30}) {
    pair.pivots[5] = impossible;
    for (const Codelet& codelet : {codelets<double>().ssssm, codelets<double>().ssssm_back}) {
      BOOST_TEST(error_of(codelet, {pair.b.view(), pair.l.view(), view(pair.pivots), a.view(), c.view()}, args(kZero))
                     .starts_with("pivot 5 is none of the rows 0 up to 16"));
    }
    TileMatrix<double> v = TileMatrix<double>::identity(7);
    std::vector<int> pivots{0, 1, 2, 3, 4, impossible, 6};
    for (const Codelet& codelet : {codelets<double>().gessm, codelets<double>().gessm_back}) {
      BOOST_TEST(error_of(codelet, {v.view(), view(pivots), a.view()}, {})
                     .starts_with("pivot 5 is none of the rows 0 up to 7"));
    }
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::kernels
