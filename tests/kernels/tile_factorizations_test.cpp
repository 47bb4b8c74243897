// Tests codelets that factorize a tile or a panel, and their errors for matrices that cannot be factorized.
#include "kernels/codelets.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "tests/kernels/tile_matrix.hpp"
#include "troupe/errors.hpp"

namespace troupe::kernels {

BOOST_AUTO_TEST_SUITE(tile_factorizations)

namespace {

using namespace tests::tiles;  // NOLINT: this test uses many names of tests::tiles

std::string error_of(const Codelet& codelet, const std::vector<DataView>& views, const Arguments& arguments) {
  try {
    run(codelet, views, arguments);
  } catch (const Error& error) {
    BOOST_TEST((error.code() == ErrorCode::numerical));
    return error.what();
  }
  return {};
}

BOOST_AUTO_TEST_CASE_TEMPLATE(potrf_factorizes_the_lower_triangle_and_solves_below, T, Precisions) {
  for (const std::int64_t n : kOrders) {
    const TileMatrix<T> l = part_of(dominant<T>(n, 1), on_and_below);
    for (const Around& around : kAround) {
      const TileMatrix<T> x = TileMatrix<T>::random(around.below, n, 4);
      const TileMatrix<T> below = product(x, transposed(l));
      TileMatrix<T> before = tall(product(l, transposed(l)), around);
      for (std::int64_t j = 0; j < n; ++j) {
        for (std::int64_t i = 0; i < j; ++i) before(around.above + i, j) = 77;
        for (std::int64_t i = 0; i < around.below; ++i) before(around.above + n + i, j) = below(i, j);
      }
      TileMatrix<T> d = before;
      run(codelets<T>().potrf, {d.view()}, args(around.above, std::int64_t{0}));
      BOOST_TEST(same(Rows<T>(d, n, around).block, l, on_and_below));
      BOOST_TEST(same(Rows<T>(d, n, around).below, x));
      BOOST_TEST(untouched_outside(d, before, [&](auto i, auto j) { return i - around.above >= j; }));
    }
  }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(lu_without_pivoting_gives_the_factors_and_solves_below, T, Precisions) {
  for (const std::int64_t n : kOrders) {
    TileMatrix<T> block = dominant<T>(n, 3);
    for (std::int64_t j = 0; j < n; ++j) {
      for (std::int64_t i = 0; i < n; ++i) block(i, j) /= static_cast<T>(n);
    }
    for (const Around& around : kAround) {
      const TileMatrix<T> before = tall(block, around);
      TileMatrix<T> d = before;
      run(codelets<T>().getrf_without_pivoting, {d.view()}, args(around.above, std::int64_t{0}));
      const Rows<T> result(d, n, around);
      const TileMatrix<T> u = part_of(result.block, on_and_above);
      BOOST_TEST(same(product(part_of(result.block, on_and_below, true), u), block));
      BOOST_TEST(same(product(result.below, u), Rows<T>(before, n, around).below));
      BOOST_TEST(untouched_outside(d, before, [&](auto i, auto) { return i >= around.above; }));
    }
  }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(a_panel_is_factorized_from_its_first_row_on, T, Precisions) {
  for (const std::int64_t first : {0, 3, 20}) {
    for (const std::int64_t cols : {1, 2, 16, 33}) {
      for (const std::int64_t below : {0, 1, 50}) {
        const std::int64_t height = cols + below;
        const TileMatrix<T> before = TileMatrix<T>::random(first + height, cols, 5);
        TileMatrix<T> a = before;
        std::vector<int> pivots(static_cast<std::size_t>(cols), -1);
        run(codelets<T>().getrf_panel, {view(pivots), a.view()}, args(first, first));

        BOOST_TEST(untouched_outside(a, before, [&](auto i, auto) { return i >= first; }));
        TileMatrix<T> permuted = before;
        for (std::int64_t i = 0; i < cols; ++i) {
          const int pivot = pivots[static_cast<std::size_t>(i)];
          BOOST_TEST_REQUIRE((pivot >= first + i && pivot < first + height));
          for (std::int64_t j = 0; j < cols; ++j) std::swap(permuted(first + i, j), permuted(pivot, j));
        }
        const TileMatrix<T> factors = rows_from(a, first, height);
        const TileMatrix<T> l = part_of(factors, on_and_below, true);
        const TileMatrix<T> u = rows_from(part_of(factors, on_and_above), 0, cols);
        BOOST_TEST(same(product(l, u), rows_from(permuted, first, height)));
        for (std::int64_t j = 0; j < cols; ++j) {
          for (std::int64_t i = j + 1; i < height; ++i) BOOST_TEST(std::abs(factors(i, j)) <= 1 + 1e-5);
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(geqrt_and_gemqrt_give_an_orthogonal_factor, T, Precisions) {
  for (const std::int64_t cols : {1, 5, 16, 23}) {
    for (const std::int64_t below : {0, 1, 20}) {
      for (const std::int64_t inner : {1, 4, 16, 23}) {
        if (inner > cols) continue;
        const std::int64_t rows = cols + below;
        const TileMatrix<T> before = TileMatrix<T>::random(rows, cols, 9);
        TileMatrix<T> a = before;
        TileMatrix<T> t(inner, cols);
        TileMatrix<T> v(rows, cols);
        run(codelets<T>().geqrt, {a.view(), t.view(), v.view()});
        TileMatrix<T> q = TileMatrix<T>::identity(rows);
        run(codelets<T>().gemqrt, {v.view(), t.view(), q.view()});
        BOOST_TEST(same(product(q, part_of(a, on_and_above)), before));
        TileMatrix<T> unit = q;
        run(codelets<T>().gemqrt_transposed, {v.view(), t.view(), unit.view()});
        BOOST_TEST(same(unit, TileMatrix<T>::identity(rows)));
        BOOST_TEST(same(product(transposed(q), q), TileMatrix<T>::identity(rows)));
        BOOST_TEST((a.gaps_are_untouched() && t.gaps_are_untouched() && v.gaps_are_untouched()));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(tpqrt_and_tpmqrt_eliminate_a_tile_below_a_triangle, T, Precisions) {
  for (const std::int64_t cols : {1, 5, 16, 23}) {
    for (const std::int64_t more_rows : {0, 3}) {  // The upper tile has this many more rows than R.
      for (const std::int64_t rows : {1, 4, 23, 30}) {
        const std::int64_t inner = std::min<std::int64_t>(cols, 4);
        const TileMatrix<T> r = part_of(dominant<T>(cols, 10), on_and_above);
        const TileMatrix<T> lower = TileMatrix<T>::random(rows, cols, 11);
        TileMatrix<T> upper =
            TileMatrix<T>::random(cols + more_rows, cols, 12);  // Elements outside of R must not change.
        for (std::int64_t j = 0; j < cols; ++j) {
          for (std::int64_t i = 0; i <= j; ++i) upper(i, j) = r(i, j);
        }
        const TileMatrix<T> upper_before = upper;
        TileMatrix<T> b = lower;
        TileMatrix<T> t(inner, cols);
        run(codelets<T>().tpqrt, {upper.view(), b.view(), t.view()}, args(std::int64_t{0}));
        BOOST_TEST(untouched_outside(upper, upper_before, on_and_above));

        // Q [R'; 0] must be equal to the original content.
        TileMatrix<T> top(cols + more_rows, cols);
        for (std::int64_t j = 0; j < cols; ++j) {
          for (std::int64_t i = 0; i <= j; ++i) top(i, j) = upper(i, j);
        }
        const TileMatrix<T> result = top;
        TileMatrix<T> bottom(rows, cols);
        run(codelets<T>().tpmqrt, {b.view(), t.view(), top.view(), bottom.view()}, args(std::int64_t{0}));
        BOOST_TEST(same(rows_from(top, 0, cols), r));
        BOOST_TEST(same(bottom, lower));
        run(codelets<T>().tpmqrt_transposed, {b.view(), t.view(), top.view(), bottom.view()}, args(std::int64_t{0}));
        BOOST_TEST(same(top, result));
        BOOST_TEST(same(bottom, TileMatrix<T>(rows, cols)));
        BOOST_TEST((t.gaps_are_untouched() && top.gaps_are_untouched() && bottom.gaps_are_untouched()));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(breakdowns_name_the_row_of_the_whole_matrix, T, Precisions) {
  for (const std::int64_t p : {0, 1, 15, 16, 30}) {
    TileMatrix<T> indefinite = TileMatrix<T>::identity(31);
    indefinite(p, p) = -1;
    BOOST_TEST(error_of(codelets<T>().potrf, {indefinite.view()}, args(std::int64_t{0}, std::int64_t{100})) ==
               "the matrix is not positive definite: its leading minor of order " + std::to_string(101 + p) +
                   " is not positive");
    TileMatrix<T> singular = dominant<T>(31, 1);
    for (std::int64_t i = 0; i < 31; ++i) singular(i, p) = 0;
    const TileMatrix<T> panel = singular;
    const std::string expected = "the matrix is singular: pivot " + std::to_string(101 + p) + " is exactly zero";
    BOOST_TEST(error_of(codelets<T>().getrf_without_pivoting, {singular.view()},
                        args(std::int64_t{0}, std::int64_t{100})) == expected);
    TileMatrix<T> whole(131, 31);
    for (std::int64_t j = 0; j < 31; ++j) {
      for (std::int64_t i = 0; i < 31; ++i) whole(100 + i, j) = panel(i, j);
    }
    std::vector<int> pivots(31);
    BOOST_TEST(error_of(codelets<T>().getrf_panel, {view(pivots), whole.view()},
                        args(std::int64_t{100}, std::int64_t{100})) == expected);
  }
}

/// An overflow may lead to NaN. Pivots must be valid rows even then.
BOOST_AUTO_TEST_CASE_TEMPLATE(a_panel_of_nan_gives_pivots_that_are_rows, T, Precisions) {
  for (const std::int64_t cols : {1, 5, 40}) {
    for (const std::int64_t rows : {40, 90}) {
      TileMatrix<T> a(rows, cols);
      for (std::int64_t j = 0; j < cols; ++j) {
        for (std::int64_t i = 0; i < rows; ++i) a(i, j) = std::numeric_limits<T>::quiet_NaN();
      }
      std::vector<int> pivots(static_cast<std::size_t>(cols), -1);
      static_cast<void>(
          error_of(codelets<T>().getrf_panel, {view(pivots), a.view()}, args(std::int64_t{0}, std::int64_t{0})));
      for (const int pivot : pivots) BOOST_TEST((pivot >= 0 && pivot < rows));
    }
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::kernels
