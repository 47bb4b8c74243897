#include "kernels/factor.hpp"

#include <boost/mpl/list.hpp>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "kernels/fortran.hpp"
#include "proto/random.hpp"

// Compares factorizations with LAPACK's routines, for unusual shapes.
namespace troupe::kernels {

BOOST_AUTO_TEST_SUITE(factor_like_lapack)

namespace {

constexpr int kGap = 3;

template <class T>
struct Matrix {
  Matrix(int row_count, int col_count, std::uint64_t seed)
      : rows(row_count), cols(col_count), values(static_cast<std::size_t>((row_count + kGap) * col_count)) {
    Random random(seed);
    for (T& value : values) value = static_cast<T>(random.next() >> 11U) * T(0x1p-53) - T(0.5);
  }
  T& operator()(int i, int j) { return values[static_cast<std::size_t>(i + j * ld())]; }
  [[nodiscard]] int ld() const { return rows + kGap; }
  MatrixView<T> view() { return {values.data(), rows, cols, ld()}; }

  int rows;
  int cols;
  std::vector<T> values;
};

template <class T>
bool same(const std::vector<T>& a, const std::vector<T>& b) {
  const T tolerance = 5000 * std::numeric_limits<T>::epsilon();
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!(std::abs(a[i] - b[i]) <= tolerance * (1 + std::abs(b[i])))) return false;
  }
  return true;
}

using Precisions = boost::mpl::list<float, double>;

BOOST_AUTO_TEST_CASE_TEMPLATE(potrf_gives_the_same_factor, T, Precisions) {
  for (const int n : {1, 2, 7, 16, 33, 100, 150}) {
    Matrix<T> ours(n, n, 1);
    for (int i = 0; i < n; ++i) ours(i, i) += static_cast<T>(n);
    Matrix<T> lapack = ours;
    BOOST_TEST(potrf(ours.view()) == 0);
    BOOST_TEST(fortran::potrf('L', n, lapack.values.data(), lapack.ld()) == 0);
    BOOST_TEST(same(ours.values, lapack.values));
  }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(a_panel_has_the_same_factors_and_pivots, T, Precisions) {
  for (const int cols : {1, 2, 7, 16, 33, 64, 100}) {
    for (const int below : {0, 1, 5, 77, 300}) {
      Matrix<T> ours(cols + below, cols, 2);
      Matrix<T> lapack = ours;
      std::vector<int> pivots(static_cast<std::size_t>(cols));
      std::vector<int> lapack_pivots(pivots.size());
      BOOST_TEST(factor_panel(ours.view(), std::span(pivots)) == 0);
      BOOST_TEST(fortran::getrf(lapack.rows, cols, lapack.values.data(), lapack.ld(), lapack_pivots.data()) == 0);
      for (std::size_t i = 0; i < pivots.size(); ++i) BOOST_TEST(pivots[i] + 1 == lapack_pivots[i]);
      // In ill-conditioned panels, rounding errors grow too much for a comparison in float.
      if (sizeof(T) == sizeof(double)) BOOST_TEST(same(ours.values, lapack.values));
    }
  }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(breakdowns_are_found_where_lapack_finds_them, T, Precisions) {
  constexpr int kOrder = 70;
  for (int p = 0; p < kOrder; p += 3) {
    Matrix<T> indefinite(kOrder, kOrder, 3);
    for (int i = 0; i < kOrder; ++i) indefinite(i, i) += kOrder;
    Matrix<T> singular = indefinite;
    indefinite(p, p) = -1;
    Matrix<T> lapack = indefinite;
    BOOST_TEST(potrf(indefinite.view()) == p + 1);
    BOOST_TEST(fortran::potrf('L', kOrder, lapack.values.data(), lapack.ld()) == p + 1);

    for (int i = 0; i < kOrder; ++i) singular(i, p) = 0;
    lapack = singular;
    Matrix<T> unpivoted = singular;
    std::vector<int> pivots(kOrder);
    BOOST_TEST(factor_panel(singular.view(), std::span(pivots)) == p + 1);
    BOOST_TEST(fortran::getrf(kOrder, kOrder, lapack.values.data(), lapack.ld(), pivots.data()) == p + 1);
    BOOST_TEST(getrf_without_pivoting(unpivoted.view()) == p + 1);
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::kernels
