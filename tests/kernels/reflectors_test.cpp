#include "kernels/reflectors.hpp"

#include <boost/mpl/list.hpp>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "kernels/fortran.hpp"
#include "proto/random.hpp"

// Compares reflectors with LAPACK's routines, for unusual shapes.
namespace troupe::kernels {

BOOST_AUTO_TEST_SUITE(reflectors_like_lapack)

namespace {

constexpr int kGapBelow = 3;

template <class T>
struct Block {
  Block(int row_count, int col_count, std::uint64_t seed, T scale = 1)
      : rows(row_count), cols(col_count), values(static_cast<std::size_t>((row_count + kGapBelow) * col_count)) {
    Random random(seed);
    for (T& value : values) value = scale * (static_cast<T>(random.next() >> 11U) * T(0x1p-53) - T(0.5));
  }
  [[nodiscard]] int ld() const { return rows + kGapBelow; }
  T* data() { return values.data(); }
  MatrixView<T> view() { return {values.data(), rows, cols, ld()}; }
  [[nodiscard]] MatrixView<const T> view() const { return {values.data(), rows, cols, ld()}; }

  int rows;
  int cols;
  std::vector<T> values;
};

/// Returns true if the blocks are equal except for rounding errors relative to the largest element. The gaps between
/// the columns must be equal.
template <class T>
bool alike(const Block<T>& a, const Block<T>& b) {
  T largest = 0;
  for (const T value : b.values) largest = std::max(largest, std::abs(value));
  const T tolerance = 2000 * std::numeric_limits<T>::epsilon() * largest;
  for (std::size_t i = 0; i < a.values.size(); ++i) {
    if (!(std::abs(a.values[i] - b.values[i]) <= tolerance)) return false;
  }
  return true;
}

/// Compares the matrices T. Their lower triangles do not count, because LAPACK may write anything there.
template <class T>
bool same_factors(const Block<T>& a, const Block<T>& b) {
  const T tolerance = 5000 * std::numeric_limits<T>::epsilon();
  for (int j = 0; j < a.cols; ++j) {
    for (int i = 0; i <= j % a.rows; ++i) {
      if (!(std::abs(a.view()(i, j) - b.view()(i, j)) <= tolerance)) return false;
    }
  }
  return true;
}

template <class T>
void compare(int m, int n, int inner, int right_hand_sides, T scale) {
  BOOST_TEST_CONTEXT(m << " x " << n << ", inner block " << inner << ", numbers of size " << scale) {
    std::vector<T> work(static_cast<std::size_t>(inner * (n + right_hand_sides)) + 1);
    LoneTeam alone;
    Block<T> v(m, n, 1, scale), lapack_v = v, t(inner, n, 2), lapack_t = t;
    geqrt(alone, v.view(), t.view());
    BOOST_TEST(
        fortran::geqrt(m, n, inner, lapack_v.data(), lapack_v.ld(), lapack_t.data(), lapack_t.ld(), work.data()) == 0);
    BOOST_TEST(alike(v, lapack_v));
    BOOST_TEST(same_factors(t, lapack_t));
    Block<T> upper(n, n, 3, scale), lapack_upper = upper, b(m, n, 4, scale), lapack_b = b, s(inner, n, 5), lapack_s = s;
    tpqrt(alone, upper.view(), b.view(), s.view());
    BOOST_TEST(fortran::tpqrt(m, n, 0, inner, lapack_upper.data(), lapack_upper.ld(), lapack_b.data(), lapack_b.ld(),
                              lapack_s.data(), lapack_s.ld(), work.data()) == 0);
    BOOST_TEST(alike(upper, lapack_upper));
    BOOST_TEST(alike(b, lapack_b));
    BOOST_TEST(same_factors(s, lapack_s));
    const Block<T>& given_t = lapack_t;
    const Block<T>& given_s = lapack_s;
    for (const char trans : {'N', 'T'}) {
      Block<T> c(m, right_hand_sides, 6), lapack_c = c, a(n + 2, right_hand_sides, 7), lapack_a = a;
      gemqrt(alone, trans, std::as_const(lapack_v).view(), given_t.view(), c.view());
      BOOST_TEST(fortran::gemqrt('L', trans, m, right_hand_sides, n, inner, lapack_v.data(), lapack_v.ld(),
                                 lapack_t.data(), lapack_t.ld(), lapack_c.data(), lapack_c.ld(), work.data()) == 0);
      BOOST_TEST(alike(c, lapack_c));
      tpmqrt(alone, trans, std::as_const(lapack_b).view(), given_s.view(), a.view(), c.view());
      BOOST_TEST(fortran::tpmqrt('L', trans, m, right_hand_sides, n, 0, inner, lapack_b.data(), lapack_b.ld(),
                                 lapack_s.data(), lapack_s.ld(), lapack_a.data(), lapack_a.ld(), lapack_c.data(),
                                 lapack_c.ld(), work.data()) == 0);
      BOOST_TEST(alike(c, lapack_c));
      BOOST_TEST(alike(a, lapack_a));
    }
  }
}

using Precisions = boost::mpl::list<float, double>;

BOOST_AUTO_TEST_CASE_TEMPLATE(all_four_do_the_same, T, Precisions) {
  for (const int n : {1, 2, 7, 8, 9, 33, 100}) {
    for (const int more : {0, 1, 90}) {
      for (const int inner : {1, 5, 16, 40, 100}) {
        if (inner <= n) compare<T>(n + more, n, inner, 13, 1);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(tiny_and_huge_numbers_neither_vanish_nor_overflow, T, Precisions) {
  const T huge = std::sqrt(std::numeric_limits<T>::max()) * 100;
  for (const T scale : {huge, 1 / huge, std::numeric_limits<T>::min() * 1000}) compare<T>(60, 20, 12, 5, scale);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(columns_of_zeros_need_no_reflector, T, Precisions) {
  Block<T> a(40, 20, 1), t(20, 20, 2);
  for (int i = 0; i < 40; ++i) a.view()(i, 3) = 0;
  for (int i = 10; i < 40; ++i) {
    for (int j = 0; j < 20; ++j) a.view()(i, j) = 0;
  }
  LoneTeam alone;
  geqrt(alone, a.view(), t.view());
  for (const T value : a.values) BOOST_TEST(std::isfinite(value));
  for (int j = 10; j < 20; ++j) BOOST_TEST(t.view()(j, j) == T{0});
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::kernels
