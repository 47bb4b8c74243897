/// Measures of the quality of a system's solution, in addition to its residual.
#pragma once

#include <limits>
#include <string>

#include "linalg/dense_matrix.hpp"
#include "linalg/factorization.hpp"

namespace troupe::apps {

struct SolutionQuality {
  /// The 1-norm of A, and the largest absolute value of its elements.
  double norm = 0;
  double largest = 0;
  /// The largest element of U divided by the largest element of A; 1 for methods in which elements do not grow.
  double growth = 1;
  /// True if no element of the factors (`factors_finite`) or of X (`solution_finite`) is infinite or NaN.
  bool factors_finite = true;
  bool solution_finite = true;
  /// See `Factorization::reciprocal_condition`.
  double reciprocal_condition = 1;
};

/// Computes all members except `reciprocal_condition`.
template <class T>
[[nodiscard]] SolutionQuality solution_quality(const linalg::DenseMatrix<T>& a, const linalg::DenseMatrix<T>& factors,
                                               linalg::Application method, const linalg::DenseMatrix<T>& x);

/// The properties of a floating-point type, as values.
struct NumberType {
  template <class T>
  static NumberType of(const char* name) {
    return {name, static_cast<double>(std::numeric_limits<T>::epsilon()) / 2,
            static_cast<double>(std::numeric_limits<T>::min())};
  }

  std::string name;
  /// The relative machine precision, LAPACK's lamch('E').
  double eps = 0;
  /// The smallest normal number. Smaller numbers have fewer digits.
  double smallest_normal = 0;
};

/// Returns a text such as "row 3 is zero" or "column 2 is zero"; empty if there is no such row or column. A matrix with
/// a zero row or column is singular, independently of rounding errors.
template <class T>
[[nodiscard]] std::string zero_row_or_column(const linalg::DenseMatrix<T>& a);

/// Returns the reason why a solution with a good residual may still be wrong; empty if there is none. A matrix is
/// called singular to working precision by the rule of LAPACK's expert drivers: the reciprocal condition is below eps.
[[nodiscard]] std::string doubt_of(const SolutionQuality& quality, const NumberType& precision);
/// Returns the condition and the doubt, such as "about 3e+05 (estimated, 1-norm)".
[[nodiscard]] std::string condition_text(const SolutionQuality& quality, const NumberType& precision);
/// Returns the likely reason why a solution's residual is not accepted, and the remedy.
[[nodiscard]] std::string why_inaccurate(const SolutionQuality& quality, const NumberType& precision);

}  // namespace troupe::apps
