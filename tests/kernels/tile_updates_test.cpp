// Tests codelets that apply a factorization to other tiles: products, triangular solves and exchanges of rows.
#include "kernels/codelets.hpp"

#include <boost/test/unit_test.hpp>
#include <utility>
#include <vector>

#include "tests/kernels/tile_matrix.hpp"

namespace troupe::kernels {

BOOST_AUTO_TEST_SUITE(tile_updates)

namespace {

using namespace tests::tiles;  // NOLINT: this test uses many names of tests::tiles

template <class T>
TileMatrix<T> difference(const TileMatrix<T>& a, const TileMatrix<T>& b) {
  TileMatrix<T> result(a.rows(), a.cols());
  for (std::int64_t j = 0; j < a.cols(); ++j) {
    for (std::int64_t i = 0; i < a.rows(); ++i) result(i, j) = a(i, j) - b(i, j);
  }
  return result;
}

BOOST_AUTO_TEST_CASE_TEMPLATE(updates_subtract_products_of_any_shape, T, Precisions) {
  for (const std::int64_t m : {1, 3, 17, 40}) {
    for (const std::int64_t n : {1, 5, 16, 33}) {
      for (const std::int64_t k : {1, 2, 19}) {
        TileMatrix<T> a = TileMatrix<T>::random(m, k, 1);
        const TileMatrix<T> b = TileMatrix<T>::random(k, n, 2);
        const TileMatrix<T> before = TileMatrix<T>::random(m, n, 3);
        const TileMatrix<T> expected = difference(before, product(a, b));
        for (const Around& around : kAround) {
          const auto check = [&](const Codelet& codelet, TileMatrix<T> right) {
            TileMatrix<T> c = before;
            run(codelet, {a.view(), right.view(), c.view()}, args(around.above));
            BOOST_TEST(same(c, expected));
            BOOST_TEST(c.gaps_are_untouched());
          };
          check(codelets<T>().gemm_nn, tall(b, around));
          check(codelets<T>().gemm_nt, tall(transposed(b), around));
          TileMatrix<T> left = transposed(a);
          TileMatrix<T> right = b;
          const TileMatrix<T> tall_before = tall(before, around);
          TileMatrix<T> c = tall_before;
          run(codelets<T>().gemm_tn, {left.view(), right.view(), c.view()}, args(around.above));
          BOOST_TEST(same(rows_from(c, around.above, m), expected));
          BOOST_TEST(untouched_outside(c, tall_before,
                                       [&](auto i, auto) { return i >= around.above && i < around.above + m; }));
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(syrk_updates_the_lower_triangle_and_what_is_below, T, Precisions) {
  for (const std::int64_t n : kOrders) {
    for (const std::int64_t k : {1, 6, 33}) {
      for (const Around& around : kAround) {
        TileMatrix<T> a = tall(TileMatrix<T>::random(n, k, 1), around);
        const TileMatrix<T> before = tall(TileMatrix<T>::random(n, n, 2), around);
        TileMatrix<T> c = before;
        run(codelets<T>().syrk, {a.view(), c.view()}, args(around.above));
        const Rows<T> left(a, n, around);
        const auto used = [&](std::int64_t i, std::int64_t j) { return i - around.above >= j; };
        BOOST_TEST(same(c, difference(before, product(a, transposed(left.block))), used));
        BOOST_TEST(untouched_outside(c, before, used));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(solves_from_the_right_undo_products, T, Precisions) {
  for (const std::int64_t n : kOrders) {
    const TileMatrix<T> triangle = dominant<T>(n, 1);
    for (const Around& around : kAround) {
      TileMatrix<T> d = tall(triangle, around);
      for (const std::int64_t m : {1, 4, 29}) {
        const TileMatrix<T> x = TileMatrix<T>::random(m, n, 2);
        const auto check = [&](const Codelet& codelet, const TileMatrix<T>& factor) {
          TileMatrix<T> a = product(x, factor);
          run(codelet, {d.view(), a.view()}, args(around.above));
          BOOST_TEST(same(a, x));
          BOOST_TEST(a.gaps_are_untouched());
        };
        check(codelets<T>().trsm_cholesky, transposed(part_of(triangle, on_and_below)));
        check(codelets<T>().trsm_right_upper, part_of(triangle, on_and_above));
      }
    }
  }
}

/// Returns a random matrix whose elements are so small that the inverse of its unit triangle is small, too.
template <class T>
TileMatrix<T> small(std::int64_t order, std::uint64_t seed) {
  TileMatrix<T> result = TileMatrix<T>::random(order, order, seed);
  for (std::int64_t j = 0; j < order; ++j) {
    for (std::int64_t i = 0; i < order; ++i) result(i, j) /= static_cast<T>(order);
  }
  return result;
}

BOOST_AUTO_TEST_CASE_TEMPLATE(forward_solves_update_what_is_below, T, Precisions) {
  for (const std::int64_t n : kOrders) {
    for (const Around& around : kAround) {
      for (const std::int64_t m : {1, 4, 29}) {
        const auto check = [&](const Codelet& codelet, TileMatrix<T> block, bool unit) {
          TileMatrix<T> d = tall(block, around);
          const TileMatrix<T> x = TileMatrix<T>::random(n, m, 2);
          const TileMatrix<T> before = tall(product(part_of(block, on_and_below, unit), x), around);
          TileMatrix<T> b = before;
          run(codelet, {d.view(), b.view()}, args(around.above));
          const Rows<T> result(b, n, around);
          BOOST_TEST(same(result.block, x));
          BOOST_TEST(same(result.below,
                          difference(Rows<T>(before, n, around).below, product(Rows<T>(d, n, around).below, x))));
          BOOST_TEST(untouched_outside(b, before, [&](auto i, auto) { return i >= around.above; }));
        };
        check(codelets<T>().solve_lower, dominant<T>(n, 1), false);
        check(codelets<T>().solve_unit_lower, small<T>(n, 1), true);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(backward_solves_use_or_update_the_other_rows, T, Precisions) {
  for (const std::int64_t n : kOrders) {
    const TileMatrix<T> triangle = dominant<T>(n, 1);
    for (const Around& around : kAround) {
      TileMatrix<T> d = tall(triangle, around);
      const Rows<T> given(d, n, around);
      for (const std::int64_t m : {1, 4, 29}) {
        const TileMatrix<T> x = TileMatrix<T>::random(n, m, 2);
        TileMatrix<T> before = tall(product(part_of(triangle, on_and_above), x), around);
        TileMatrix<T> b = before;
        run(codelets<T>().solve_upper, {d.view(), b.view()}, args(around.above));
        BOOST_TEST(same(Rows<T>(b, n, around).block, x));
        BOOST_TEST(
            same(Rows<T>(b, n, around).above, difference(Rows<T>(before, n, around).above, product(given.above, x))));
        BOOST_TEST(untouched_outside(b, before, [&](auto i, auto) { return i < around.above + n; }));

        const Rows<T> right(before, n, around);
        const TileMatrix<T> known = product(transposed(given.below), right.below);
        const TileMatrix<T> sum = product(transposed(part_of(triangle, on_and_below)), x);
        for (std::int64_t j = 0; j < m; ++j) {
          for (std::int64_t i = 0; i < n; ++i) before(around.above + i, j) = sum(i, j) + known(i, j);
        }
        b = before;
        run(codelets<T>().solve_lower_transposed, {d.view(), b.view()}, args(around.above));
        BOOST_TEST(same(Rows<T>(b, n, around).block, x));
        BOOST_TEST(
            untouched_outside(b, before, [&](auto i, auto) { return i >= around.above && i < around.above + n; }));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(interchanges_are_done_in_order, T, Precisions) {
  // Rows 0 and 1 are both exchanged with row 4, so the order of the exchanges matters.
  std::vector<int> pivots{4, 4, 2, 6, 5};
  for (const std::int64_t cols : {1, 15, 16, 17, 40}) {
    const TileMatrix<T> before = TileMatrix<T>::random(7, cols, 6);
    for (const std::int64_t first : {0, 1, 3, 5}) {
      TileMatrix<T> expected = before;
      for (auto i = static_cast<std::size_t>(first); i < pivots.size(); ++i) {
        const auto row = static_cast<std::int64_t>(i);
        for (std::int64_t j = 0; j < cols; ++j) std::swap(expected(row, j), expected(pivots[i], j));
      }
      TileMatrix<T> c = before;
      std::vector<int> later(pivots.begin() + first, pivots.end());
      run(codelets<T>().swap_rows, {view(later), c.view()}, args(first, first));
      BOOST_TEST(same(c, expected));
      BOOST_TEST(c.gaps_are_untouched());
    }
  }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(swap_and_solve_exchanges_rows_and_solves_with_the_unit_triangle, T, Precisions) {
  constexpr std::int64_t kFirst = 6;
  const TileMatrix<T> l = TileMatrix<T>::random(3, 3, 7);
  std::vector<int> pivots{10, 7, 12};
  for (const Around& around : {Around{0, 0}, Around{2, 0}, Around{0, 3}, Around{4, 4}}) {
    TileMatrix<T> d = tall(l, around);
    for (const std::int64_t cols : {1, 16, 21}) {
      const TileMatrix<T> before = TileMatrix<T>::random(13, cols, 8);
      TileMatrix<T> exchanged = before;
      for (std::int64_t i = 0; i < 3; ++i) {
        for (std::int64_t j = 0; j < cols; ++j) {
          std::swap(exchanged(kFirst + i, j), exchanged(pivots[static_cast<std::size_t>(i)], j));
        }
      }
      TileMatrix<T> c = before;
      // The kernel expects that tile C has as many rows above the first exchanged row as tile D has above its diagonal
      // block. So the view begins at a later row of C.
      DataView facing = c.view();
      facing.data += static_cast<std::size_t>(kFirst - around.above) * sizeof(T);
      facing.layout.rows -= kFirst - around.above;
      run(codelets<T>().swap_and_solve, {d.view(), view(pivots), facing}, args(around.above, kFirst));
      const TileMatrix<T> x = rows_from(c, kFirst, 3);
      BOOST_TEST(same(product(part_of(l, on_and_below, true), x), rows_from(exchanged, kFirst, 3)));
      BOOST_TEST(same(rows_from(c, kFirst + 3, around.below), difference(rows_from(exchanged, kFirst + 3, around.below),
                                                                         product(Rows<T>(d, 3, around).below, x))));
      BOOST_TEST(
          untouched_outside(c, exchanged, [&](auto i, auto) { return i >= kFirst && i < kFirst + 3 + around.below; }));
    }
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::kernels
