#include "kernels/codelets.hpp"

#include <algorithm>
#include <boost/mpl/list.hpp>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "graph/codelets/arguments.hpp"
#include "proto/errors.hpp"
#include "proto/random.hpp"

namespace troupe::kernels {

BOOST_AUTO_TEST_SUITE(tile_codelets)

namespace {

/// A column-major matrix with rows between its columns that must stay as they are.
template <class T>
class Matrix {
 public:
  static constexpr std::int64_t kGap = 5;

  Matrix(std::int64_t rows, std::int64_t cols)
      : rows_(rows),
        cols_(cols),
        values_(static_cast<std::size_t>(ld() * std::max<std::int64_t>(cols, 1)), untouched()) {
    for (std::int64_t j = 0; j < cols; ++j) std::fill_n(&(*this)(0, j), rows, T{0});
  }
  static Matrix random(std::int64_t rows, std::int64_t cols, std::uint64_t seed) {
    Matrix result(rows, cols);
    Random source(seed);
    for (std::int64_t j = 0; j < cols; ++j) {
      for (std::int64_t i = 0; i < rows; ++i) result(i, j) = static_cast<T>(source.next() >> 11U) * T(0x1p-53) - T(0.5);
    }
    return result;
  }
  static Matrix identity(std::int64_t order) {
    Matrix result(order, order);
    for (std::int64_t i = 0; i < order; ++i) result(i, i) = 1;
    return result;
  }

  [[nodiscard]] std::int64_t rows() const { return rows_; }
  [[nodiscard]] std::int64_t cols() const { return cols_; }
  [[nodiscard]] std::int64_t ld() const { return rows_ + kGap; }
  T& operator()(std::int64_t i, std::int64_t j) { return values_[static_cast<std::size_t>(i + j * ld())]; }
  const T& operator()(std::int64_t i, std::int64_t j) const { return values_[static_cast<std::size_t>(i + j * ld())]; }
  [[nodiscard]] DataView view() {
    return {reinterpret_cast<std::byte*>(values_.data()), layout_of<T>(rows_, cols_, ld())};
  }
  [[nodiscard]] bool gaps_are_untouched() const {
    for (std::int64_t j = 0; j < cols_; ++j) {
      for (std::int64_t i = rows_; i < ld(); ++i) {
        if ((*this)(i, j) != untouched()) return false;
      }
    }
    return true;
  }

 private:
  static T untouched() { return T{-4321}; }

  std::int64_t rows_;
  std::int64_t cols_;
  std::vector<T> values_;
};

/// Whether an element belongs to the part of a matrix that a kernel uses or writes.
bool everywhere(std::int64_t, std::int64_t) { return true; }
bool on_and_below(std::int64_t i, std::int64_t j) { return i >= j; }
bool on_and_above(std::int64_t i, std::int64_t j) { return i <= j; }

/// `a` with zeros outside of one triangle, and ones on the diagonal where `unit`.
template <class T, class Part>
Matrix<T> part_of(const Matrix<T>& a, Part part, bool unit = false) {
  Matrix<T> result(a.rows(), a.cols());
  for (std::int64_t j = 0; j < a.cols(); ++j) {
    for (std::int64_t i = 0; i < a.rows(); ++i) {
      if (part(i, j)) result(i, j) = unit && i == j ? T{1} : a(i, j);
    }
  }
  return result;
}

template <class T>
Matrix<T> transposed(const Matrix<T>& a) {
  Matrix<T> result(a.cols(), a.rows());
  for (std::int64_t j = 0; j < a.cols(); ++j) {
    for (std::int64_t i = 0; i < a.rows(); ++i) result(j, i) = a(i, j);
  }
  return result;
}

template <class T>
Matrix<T> product(const Matrix<T>& a, const Matrix<T>& b) {
  Matrix<T> result(a.rows(), b.cols());
  for (std::int64_t j = 0; j < b.cols(); ++j) {
    for (std::int64_t k = 0; k < a.cols(); ++k) {
      for (std::int64_t i = 0; i < a.rows(); ++i) result(i, j) += a(i, k) * b(k, j);
    }
  }
  return result;
}

template <class T>
Matrix<T> difference(const Matrix<T>& a, const Matrix<T>& b) {
  Matrix<T> result(a.rows(), a.cols());
  for (std::int64_t j = 0; j < a.cols(); ++j) {
    for (std::int64_t i = 0; i < a.rows(); ++i) result(i, j) = a(i, j) - b(i, j);
  }
  return result;
}

/// Rows `first` and on.
template <class T>
Matrix<T> rows_from(const Matrix<T>& a, std::int64_t first, std::int64_t count) {
  Matrix<T> result(count, a.cols());
  for (std::int64_t j = 0; j < a.cols(); ++j) {
    for (std::int64_t i = 0; i < count; ++i) result(i, j) = a(first + i, j);
  }
  return result;
}

/// Equal up to rounding, within `part`; elements are of order 1, sums of a hundred terms.
template <class T, class Part = bool (*)(std::int64_t, std::int64_t)>
bool same(const Matrix<T>& a, const Matrix<T>& b, Part part = everywhere) {
  const T tolerance = 2000 * std::numeric_limits<T>::epsilon();
  if (a.rows() != b.rows() || a.cols() != b.cols()) return false;
  for (std::int64_t j = 0; j < a.cols(); ++j) {
    for (std::int64_t i = 0; i < a.rows(); ++i) {
      if (part(i, j) && !(std::abs(a(i, j) - b(i, j)) <= tolerance * (1 + std::abs(b(i, j))))) return false;
    }
  }
  return true;
}

/// Exactly equal outside of `part`.
template <class T, class Part>
bool untouched_outside(const Matrix<T>& now, const Matrix<T>& before, Part part) {
  for (std::int64_t j = 0; j < now.cols(); ++j) {
    for (std::int64_t i = 0; i < now.rows(); ++i) {
      if (!part(i, j) && now(i, j) != before(i, j)) return false;
    }
  }
  return now.gaps_are_untouched();
}

DataView view(std::vector<int>& pivots) {
  const auto count = static_cast<std::int64_t>(pivots.size());
  return {reinterpret_cast<std::byte*>(pivots.data()), layout_of<int>(count, 1, std::max<std::int64_t>(count, 1))};
}

/// Runs the codelet as a worker would.
void run(const Codelet& codelet, const std::vector<DataView>& views, const Arguments& arguments = {}) {
  std::vector<const DataView*> pointers;
  for (const DataView& view : views) pointers.push_back(&view);
  const KernelContext context(pointers, arguments.bytes().data(), arguments.offsets().data());
  codelet.definition().kernels[static_cast<int>(DeviceKind::cpu_core)](context);
  BOOST_TEST(codelet.definition().flops(context) >= 0);
}

std::string error_of(const Codelet& codelet, const std::vector<DataView>& views, const Arguments& arguments) {
  try {
    run(codelet, views, arguments);
  } catch (const Error& error) {
    BOOST_TEST((error.code() == ErrorCode::numerical));
    return error.what();
  }
  return {};
}

/// Well-conditioned triangles: the diagonal outweighs the rest.
template <class T>
Matrix<T> dominant(std::int64_t order, std::uint64_t seed) {
  Matrix<T> result = Matrix<T>::random(order, order, seed);
  for (std::int64_t i = 0; i < order; ++i) result(i, i) += static_cast<T>(order);
  return result;
}

/// Rows of a tall tile above and below its diagonal block.
struct Around {
  std::int64_t above;
  std::int64_t below;
};
constexpr Around kAround[] = {{0, 0}, {3, 0}, {0, 4}, {5, 17}};

/// A tall tile with `block` as its diagonal block.
template <class T>
Matrix<T> tall(const Matrix<T>& block, const Around& around) {
  Matrix<T> result = Matrix<T>::random(around.above + block.rows() + around.below, block.cols(), 99);
  for (std::int64_t j = 0; j < block.cols(); ++j) {
    for (std::int64_t i = 0; i < block.rows(); ++i) result(around.above + i, j) = block(i, j);
  }
  return result;
}

/// Rows above, in, and below the diagonal block.
template <class T>
struct Rows {
  Rows(const Matrix<T>& a, std::int64_t order, const Around& around)
      : above(rows_from(a, 0, around.above)),
        block(rows_from(a, around.above, order)),
        below(rows_from(a, around.above + order, around.below)) {}
  Matrix<T> above;
  Matrix<T> block;
  Matrix<T> below;
};

constexpr std::int64_t kOrders[] = {1, 2, 3, 7, 16, 17, 31, 64, 65};

using Precisions = boost::mpl::list<float, double>;

BOOST_AUTO_TEST_CASE_TEMPLATE(updates_subtract_products_of_any_shape, T, Precisions) {
  for (const std::int64_t m : {1, 3, 17, 40}) {
    for (const std::int64_t n : {1, 5, 16, 33}) {
      for (const std::int64_t k : {1, 2, 19}) {
        Matrix<T> a = Matrix<T>::random(m, k, 1);
        const Matrix<T> b = Matrix<T>::random(k, n, 2);
        const Matrix<T> before = Matrix<T>::random(m, n, 3);
        const Matrix<T> expected = difference(before, product(a, b));
        for (const Around& around : kAround) {
          const auto check = [&](const Codelet& codelet, Matrix<T> right) {
            Matrix<T> c = before;
            run(codelet, {a.view(), right.view(), c.view()}, args(around.above));
            BOOST_TEST(same(c, expected));
            BOOST_TEST(c.gaps_are_untouched());
          };
          check(codelets<T>().gemm_nn, tall(b, around));
          check(codelets<T>().gemm_nt, tall(transposed(b), around));
          Matrix<T> left = transposed(a);
          Matrix<T> right = b;
          const Matrix<T> tall_before = tall(before, around);
          Matrix<T> c = tall_before;
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
        Matrix<T> a = tall(Matrix<T>::random(n, k, 1), around);
        const Matrix<T> before = tall(Matrix<T>::random(n, n, 2), around);
        Matrix<T> c = before;
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
    const Matrix<T> triangle = dominant<T>(n, 1);
    for (const Around& around : kAround) {
      Matrix<T> d = tall(triangle, around);
      for (const std::int64_t m : {1, 4, 29}) {
        const Matrix<T> x = Matrix<T>::random(m, n, 2);
        const auto check = [&](const Codelet& codelet, const Matrix<T>& factor) {
          Matrix<T> a = product(x, factor);
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

/// Random with elements so small that the inverse of its unit triangle is small, too.
template <class T>
Matrix<T> small(std::int64_t order, std::uint64_t seed) {
  Matrix<T> result = Matrix<T>::random(order, order, seed);
  for (std::int64_t j = 0; j < order; ++j) {
    for (std::int64_t i = 0; i < order; ++i) result(i, j) /= static_cast<T>(order);
  }
  return result;
}

BOOST_AUTO_TEST_CASE_TEMPLATE(forward_solves_update_what_is_below, T, Precisions) {
  for (const std::int64_t n : kOrders) {
    for (const Around& around : kAround) {
      for (const std::int64_t m : {1, 4, 29}) {
        const auto check = [&](const Codelet& codelet, Matrix<T> block, bool unit) {
          Matrix<T> d = tall(block, around);
          const Matrix<T> x = Matrix<T>::random(n, m, 2);
          const Matrix<T> before = tall(product(part_of(block, on_and_below, unit), x), around);
          Matrix<T> b = before;
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
    const Matrix<T> triangle = dominant<T>(n, 1);
    for (const Around& around : kAround) {
      Matrix<T> d = tall(triangle, around);
      const Rows<T> given(d, n, around);
      for (const std::int64_t m : {1, 4, 29}) {
        const Matrix<T> x = Matrix<T>::random(n, m, 2);
        Matrix<T> before = tall(product(part_of(triangle, on_and_above), x), around);
        Matrix<T> b = before;
        run(codelets<T>().solve_upper, {d.view(), b.view()}, args(around.above));
        BOOST_TEST(same(Rows<T>(b, n, around).block, x));
        BOOST_TEST(
            same(Rows<T>(b, n, around).above, difference(Rows<T>(before, n, around).above, product(given.above, x))));
        BOOST_TEST(untouched_outside(b, before, [&](auto i, auto) { return i < around.above + n; }));

        const Rows<T> right(before, n, around);
        const Matrix<T> known = product(transposed(given.below), right.below);
        const Matrix<T> sum = product(transposed(part_of(triangle, on_and_below)), x);
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

BOOST_AUTO_TEST_CASE_TEMPLATE(potrf_factorizes_the_lower_triangle_and_solves_below, T, Precisions) {
  for (const std::int64_t n : kOrders) {
    const Matrix<T> l = part_of(dominant<T>(n, 1), on_and_below);
    for (const Around& around : kAround) {
      const Matrix<T> x = Matrix<T>::random(around.below, n, 4);
      const Matrix<T> below = product(x, transposed(l));
      Matrix<T> before = tall(product(l, transposed(l)), around);
      for (std::int64_t j = 0; j < n; ++j) {
        for (std::int64_t i = 0; i < j; ++i) before(around.above + i, j) = 77;
        for (std::int64_t i = 0; i < around.below; ++i) before(around.above + n + i, j) = below(i, j);
      }
      Matrix<T> d = before;
      run(codelets<T>().potrf, {d.view()}, args(around.above, std::int64_t{0}));
      BOOST_TEST(same(Rows<T>(d, n, around).block, l, on_and_below));
      BOOST_TEST(same(Rows<T>(d, n, around).below, x));
      BOOST_TEST(untouched_outside(d, before, [&](auto i, auto j) { return i - around.above >= j; }));
    }
  }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(lu_without_pivoting_gives_the_factors_and_solves_below, T, Precisions) {
  for (const std::int64_t n : kOrders) {
    Matrix<T> block = dominant<T>(n, 3);
    for (std::int64_t j = 0; j < n; ++j) {
      for (std::int64_t i = 0; i < n; ++i) block(i, j) /= static_cast<T>(n);
    }
    for (const Around& around : kAround) {
      const Matrix<T> before = tall(block, around);
      Matrix<T> d = before;
      run(codelets<T>().getrf_without_pivoting, {d.view()}, args(around.above, std::int64_t{0}));
      const Rows<T> result(d, n, around);
      const Matrix<T> u = part_of(result.block, on_and_above);
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
        const Matrix<T> before = Matrix<T>::random(first + height, cols, 5);
        Matrix<T> a = before;
        std::vector<int> pivots(static_cast<std::size_t>(cols), -1);
        run(codelets<T>().getrf_panel, {view(pivots), a.view()}, args(first, first));

        BOOST_TEST(untouched_outside(a, before, [&](auto i, auto) { return i >= first; }));
        Matrix<T> permuted = before;
        for (std::int64_t i = 0; i < cols; ++i) {
          const int pivot = pivots[static_cast<std::size_t>(i)];
          BOOST_TEST_REQUIRE((pivot >= first + i && pivot < first + height));
          for (std::int64_t j = 0; j < cols; ++j) std::swap(permuted(first + i, j), permuted(pivot, j));
        }
        const Matrix<T> factors = rows_from(a, first, height);
        const Matrix<T> l = part_of(factors, on_and_below, true);
        const Matrix<T> u = rows_from(part_of(factors, on_and_above), 0, cols);
        BOOST_TEST(same(product(l, u), rows_from(permuted, first, height)));
        for (std::int64_t j = 0; j < cols; ++j) {
          for (std::int64_t i = j + 1; i < height; ++i) BOOST_TEST(std::abs(factors(i, j)) <= 1 + 1e-5);
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(interchanges_are_done_in_order, T, Precisions) {
  std::vector<int> pivots{4, 4, 2, 6, 5};  // rows 0 and 1 chain through 4
  for (const std::int64_t cols : {1, 15, 16, 17, 40}) {
    const Matrix<T> before = Matrix<T>::random(7, cols, 6);
    for (const std::int64_t first : {0, 1, 3, 5}) {
      Matrix<T> expected = before;
      for (auto i = static_cast<std::size_t>(first); i < pivots.size(); ++i) {
        const auto row = static_cast<std::int64_t>(i);
        for (std::int64_t j = 0; j < cols; ++j) std::swap(expected(row, j), expected(pivots[i], j));
      }
      Matrix<T> c = before;
      std::vector<int> later(pivots.begin() + first, pivots.end());
      run(codelets<T>().swap_rows, {view(later), c.view()}, args(first, first));
      BOOST_TEST(same(c, expected));
      BOOST_TEST(c.gaps_are_untouched());
    }
  }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(swap_and_solve_exchanges_rows_and_solves_with_the_unit_triangle, T, Precisions) {
  constexpr std::int64_t kFirst = 6;
  const Matrix<T> l = Matrix<T>::random(3, 3, 7);
  std::vector<int> pivots{10, 7, 12};
  for (const Around& around : {Around{0, 0}, Around{2, 0}, Around{0, 3}, Around{4, 4}}) {
    Matrix<T> d = tall(l, around);
    for (const std::int64_t cols : {1, 16, 21}) {
      const Matrix<T> before = Matrix<T>::random(13, cols, 8);
      Matrix<T> exchanged = before;
      for (std::int64_t i = 0; i < 3; ++i) {
        for (std::int64_t j = 0; j < cols; ++j) {
          std::swap(exchanged(kFirst + i, j), exchanged(pivots[static_cast<std::size_t>(i)], j));
        }
      }
      Matrix<T> c = before;
      // The column begins where D does.
      DataView facing = c.view();
      facing.data += static_cast<std::size_t>(kFirst - around.above) * sizeof(T);
      facing.layout.rows -= kFirst - around.above;
      run(codelets<T>().swap_and_solve, {d.view(), view(pivots), facing}, args(around.above, kFirst));
      const Matrix<T> x = rows_from(c, kFirst, 3);
      BOOST_TEST(same(product(part_of(l, on_and_below, true), x), rows_from(exchanged, kFirst, 3)));
      BOOST_TEST(same(rows_from(c, kFirst + 3, around.below), difference(rows_from(exchanged, kFirst + 3, around.below),
                                                                         product(Rows<T>(d, 3, around).below, x))));
      BOOST_TEST(
          untouched_outside(c, exchanged, [&](auto i, auto) { return i >= kFirst && i < kFirst + 3 + around.below; }));
    }
  }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(geqrt_and_gemqrt_give_an_orthogonal_factor, T, Precisions) {
  for (const std::int64_t cols : {1, 5, 16, 23}) {
    for (const std::int64_t below : {0, 1, 20}) {
      for (const std::int64_t inner : {1, 4, 16, 23}) {
        if (inner > cols) continue;
        const std::int64_t rows = cols + below;
        const Matrix<T> before = Matrix<T>::random(rows, cols, 9);
        Matrix<T> a = before;
        Matrix<T> t(inner, cols);
        Matrix<T> v(rows, cols);
        run(codelets<T>().geqrt, {a.view(), t.view(), v.view()});
        Matrix<T> q = Matrix<T>::identity(rows);
        run(codelets<T>().gemqrt, {v.view(), t.view(), q.view()});
        BOOST_TEST(same(product(q, part_of(a, on_and_above)), before));
        Matrix<T> unit = q;
        run(codelets<T>().gemqrt_transposed, {v.view(), t.view(), unit.view()});
        BOOST_TEST(same(unit, Matrix<T>::identity(rows)));
        BOOST_TEST(same(product(transposed(q), q), Matrix<T>::identity(rows)));
        BOOST_TEST((a.gaps_are_untouched() && t.gaps_are_untouched() && v.gaps_are_untouched()));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(tpqrt_and_tpmqrt_eliminate_a_tile_below_a_triangle, T, Precisions) {
  for (const std::int64_t cols : {1, 5, 16, 23}) {
    for (const std::int64_t more_rows : {0, 3}) {  // of the upper tile than of R
      for (const std::int64_t rows : {1, 4, 23, 30}) {
        const std::int64_t inner = std::min<std::int64_t>(cols, 4);
        const Matrix<T> r = part_of(dominant<T>(cols, 10), on_and_above);
        const Matrix<T> lower = Matrix<T>::random(rows, cols, 11);
        Matrix<T> upper = Matrix<T>::random(cols + more_rows, cols, 12);  // what is no part of R stays
        for (std::int64_t j = 0; j < cols; ++j) {
          for (std::int64_t i = 0; i <= j; ++i) upper(i, j) = r(i, j);
        }
        const Matrix<T> upper_before = upper;
        Matrix<T> b = lower;
        Matrix<T> t(inner, cols);
        run(codelets<T>().tpqrt, {upper.view(), b.view(), t.view()}, args(std::int64_t{0}));
        BOOST_TEST(untouched_outside(upper, upper_before, on_and_above));

        // Q [R'; 0] is what was there.
        Matrix<T> top(cols + more_rows, cols);
        for (std::int64_t j = 0; j < cols; ++j) {
          for (std::int64_t i = 0; i <= j; ++i) top(i, j) = upper(i, j);
        }
        const Matrix<T> result = top;
        Matrix<T> bottom(rows, cols);
        run(codelets<T>().tpmqrt, {b.view(), t.view(), top.view(), bottom.view()}, args(std::int64_t{0}));
        BOOST_TEST(same(rows_from(top, 0, cols), r));
        BOOST_TEST(same(bottom, lower));
        run(codelets<T>().tpmqrt_transposed, {b.view(), t.view(), top.view(), bottom.view()}, args(std::int64_t{0}));
        BOOST_TEST(same(top, result));
        BOOST_TEST(same(bottom, Matrix<T>(rows, cols)));
        BOOST_TEST((t.gaps_are_untouched() && top.gaps_are_untouched() && bottom.gaps_are_untouched()));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(breakdowns_name_the_row_of_the_whole_matrix, T, Precisions) {
  for (const std::int64_t p : {0, 1, 15, 16, 30}) {
    Matrix<T> indefinite = Matrix<T>::identity(31);
    indefinite(p, p) = -1;
    BOOST_TEST(error_of(codelets<T>().potrf, {indefinite.view()}, args(std::int64_t{0}, std::int64_t{100})) ==
               "the matrix is not positive definite: its leading minor of order " + std::to_string(101 + p) +
                   " is not positive");
    Matrix<T> singular = dominant<T>(31, 1);
    for (std::int64_t i = 0; i < 31; ++i) singular(i, p) = 0;
    const Matrix<T> panel = singular;
    const std::string expected = "the matrix is singular: pivot " + std::to_string(101 + p) + " is exactly zero";
    BOOST_TEST(error_of(codelets<T>().getrf_without_pivoting, {singular.view()},
                        args(std::int64_t{0}, std::int64_t{100})) == expected);
    Matrix<T> whole(131, 31);
    for (std::int64_t j = 0; j < 31; ++j) {
      for (std::int64_t i = 0; i < 31; ++i) whole(100 + i, j) = panel(i, j);
    }
    std::vector<int> pivots(31);
    BOOST_TEST(error_of(codelets<T>().getrf_panel, {view(pivots), whole.view()},
                        args(std::int64_t{100}, std::int64_t{100})) == expected);
  }
}

/// Overflow makes NaN; no index may come from it.
BOOST_AUTO_TEST_CASE_TEMPLATE(a_panel_of_nan_gives_pivots_that_are_rows, T, Precisions) {
  for (const std::int64_t cols : {1, 5, 40}) {
    for (const std::int64_t rows : {40, 90}) {
      Matrix<T> a(rows, cols);
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
