#include "kernels/loops/small_triangle.hpp"

#include <algorithm>
#include <boost/mpl/list.hpp>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "kernels/factor.hpp"
#include "proto/random.hpp"

// The tests measure the residual of the solved equations, |op(A) X - B| / (n eps |A| |X|), like LAPACK's tests.
namespace troupe::kernels {

BOOST_AUTO_TEST_SUITE(triangular_solves)

namespace {

constexpr int kGap = 3;
constexpr double kBound = 10;

template <class T>
struct Matrix {
  Matrix(int row_count, int col_count, std::uint64_t seed)
      : rows(row_count), cols(col_count), values(static_cast<std::size_t>((row_count + kGap) * col_count)) {
    Random random(seed);
    for (T& value : values) value = static_cast<T>(random.next() >> 11U) * T(0x1p-53) - T(0.5);
  }
  T& operator()(int i, int j) { return values[static_cast<std::size_t>(i + j * ld())]; }
  const T& operator()(int i, int j) const { return values[static_cast<std::size_t>(i + j * ld())]; }
  [[nodiscard]] int ld() const { return rows + kGap; }
  MatrixView<T> view() { return {values.data(), rows, cols, ld()}; }
  [[nodiscard]] MatrixView<const T> view() const { return {values.data(), rows, cols, ld()}; }

  int rows;
  int cols;
  std::vector<T> values;
};

/// The character arguments of trsm. Side, triangle, transposition and diagonal have the names that BLAS gives them.
struct Form {
  char side;
  char uplo;
  char trans;
  char diag;

  [[nodiscard]] bool left() const { return side == 'L'; }
  [[nodiscard]] bool unit_diagonal() const { return diag == 'U'; }
};

std::vector<Form> all_forms() {
  std::vector<Form> forms;
  for (const char side : {'L', 'R'}) {
    for (const char uplo : {'L', 'U'}) {
      for (const char trans : {'N', 'T'}) {
        for (const char diag : {'N', 'U'}) forms.push_back({side, uplo, trans, diag});
      }
    }
  }
  return forms;
}

/// Returns the element (i, j) of op(A), where A is a triangle.
template <class T>
double element(const Matrix<T>& a, const Form& form, int i, int j) {
  if (form.trans == 'T') std::swap(i, j);
  if (i == j && form.unit_diagonal()) return 1;
  return (form.uplo == 'L' ? i >= j : i <= j) ? static_cast<double>(a(i, j)) : 0.0;
}

template <class T>
double residual(const Matrix<T>& a, const Form& form, const Matrix<T>& x, const Matrix<T>& b) {
  const int n = a.cols;
  double worst = 0;
  double size_of_x = 0;
  for (int i = 0; i < b.rows; ++i) {
    for (int j = 0; j < b.cols; ++j) {
      double product = 0;
      for (int l = 0; l < n; ++l) {
        product += form.left() ? element(a, form, i, l) * static_cast<double>(x(l, j))
                               : static_cast<double>(x(i, l)) * element(a, form, l, j);
      }
      worst = std::max(worst, std::abs(product - static_cast<double>(b(i, j))));
      size_of_x = std::max(size_of_x, std::abs(static_cast<double>(x(i, j))));
    }
  }
  // The largest element of A is on its diagonal. This element is about n, or 1 for a unit diagonal.
  return worst / (std::numeric_limits<T>::epsilon() * (form.unit_diagonal() ? 1 : n) * std::max(n, 1) * size_of_x);
}

/// Returns a well-conditioned triangle. The elements that trsm must not read are NaN.
template <class T>
Matrix<T> triangle(int n, const Form& form) {
  Matrix<T> a(n, n, 5);
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) {
      if (i == j) {
        a(i, j) = form.unit_diagonal() ? std::numeric_limits<T>::quiet_NaN() : static_cast<T>(n) + a(i, j);
      } else if ((i > j) != (form.uplo == 'L')) {
        a(i, j) = std::numeric_limits<T>::quiet_NaN();
      } else if (form.unit_diagonal()) {
        a(i, j) /= static_cast<T>(n);
      }
    }
  }
  return a;
}

std::string name(const Form& form, int n, int right_hand_sides) {
  return std::string{form.side, form.uplo, form.trans, form.diag} + ", order " + std::to_string(n) + ", " +
         std::to_string(right_hand_sides) + " right-hand sides";
}

template <class T>
Matrix<T> right_hand_side(const Form& form, int n, int count) {
  return {form.left() ? n : count, form.left() ? count : n, 6};
}

using Precisions = boost::mpl::list<float, double>;

BOOST_AUTO_TEST_CASE_TEMPLATE(small_triangles_of_any_form_and_shape_are_solved, T, Precisions) {
  for (const Form& form : all_forms()) {
    for (const int n : {1, 2, 7, 47, 48}) {
      const Matrix<T> a = triangle<T>(n, form);
      for (const int count : {1, 3, 63, 64, 65, 130}) {
        const Matrix<T> b = right_hand_side<T>(form, n, count);
        Matrix<T> x = b;
        solve_small_triangle(form.side, form.uplo, form.trans, form.diag, a.view(), x.view());
        BOOST_TEST(residual(a, form, x, b) < kBound, name(form, n, count));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(triangles_of_any_order_are_solved, T, Precisions) {
  for (const Form& form : all_forms()) {
    for (const int n : {49, 96, 97, 145}) {
      const Matrix<T> a = triangle<T>(n, form);
      for (const int count : {1, 15, 16, 70}) {
        const Matrix<T> b = right_hand_side<T>(form, n, count);
        Matrix<T> x = b;
        solve_triangular(form.side, form.uplo, form.trans, form.diag, a.view(), x.view());
        BOOST_TEST(residual(a, form, x, b) < kBound, name(form, n, count));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(rows_between_the_columns_are_left_alone, T, Precisions) {
  for (const Form& form : all_forms()) {
    const Matrix<T> a = triangle<T>(40, form);
    const Matrix<T> b = right_hand_side<T>(form, 40, 70);
    Matrix<T> x = b;
    solve_small_triangle(form.side, form.uplo, form.trans, form.diag, a.view(), x.view());
    for (int j = 0; j < b.cols; ++j) {
      for (int i = b.rows; i < b.ld(); ++i) {
        const auto index = static_cast<std::size_t>(i + j * b.ld());
        BOOST_TEST(x.values[index] == b.values[index]);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(an_empty_right_hand_side_is_nothing_to_do, T, Precisions) {
  for (const Form& form : all_forms()) {
    const Matrix<T> a = triangle<T>(60, form);
    Matrix<T> none = right_hand_side<T>(form, 60, 0);
    const std::vector<T> before = none.values;
    solve_triangular(form.side, form.uplo, form.trans, form.diag, a.view(), none.view());
    BOOST_TEST(none.values == before);
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::kernels
