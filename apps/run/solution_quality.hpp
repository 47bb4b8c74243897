/// What is to be said of the solution of a system of equations besides its residual.
#pragma once

#include <limits>
#include <string>

#include "linalg/dense_matrix.hpp"
#include "linalg/factorization.hpp"

namespace troupe::apps {

struct SolutionQuality {
  /// The 1-norm of A, and its largest element.
  double norm = 0;
  double largest = 0;
  /// The largest element of U over that of A; 1 for methods in which elements do not grow.
  double growth = 1;
  /// No element of the factors or of X is infinite or NaN.
  bool factors_finite = true;
  bool solution_finite = true;
  /// See `Factorization::reciprocal_condition`.
  double reciprocal_condition = 1;
};

/// All of it but for the condition.
template <class T>
[[nodiscard]] SolutionQuality solution_quality(const linalg::DenseMatrix<T>& a, const linalg::DenseMatrix<T>& factors,
                                               linalg::Application method, const linalg::DenseMatrix<T>& x);

/// A type of numbers, at run time.
struct Precision {
  template <class T>
  static Precision of(const char* name) {
    return {name, static_cast<double>(std::numeric_limits<T>::epsilon()) / 2,
            static_cast<double>(std::numeric_limits<T>::min())};
  }

  std::string name;
  /// As LAPACK's lamch('E').
  double eps = 0;
  /// What is smaller has fewer digits.
  double smallest_normal = 0;
};

/// "row 3 is zero", "column 2 is zero", or nothing: where it is so, the matrix is singular, however rounding errors
/// fall.
template <class T>
[[nodiscard]] std::string zero_row_or_column(const linalg::DenseMatrix<T>& a);

/// Why a solution with a good residual may be wrong all the same; empty where there is no reason. A matrix is called
/// singular to working precision where LAPACK's expert drivers do so: the reciprocal condition is below eps.
[[nodiscard]] std::string doubt_of(const SolutionQuality& quality, const Precision& precision);
/// "about 3e+05 (estimated, 1-norm)", and the doubt.
[[nodiscard]] std::string condition_text(const SolutionQuality& quality, const Precision& precision);
/// Of a solution whose residual is not accepted: the likely reason, and what to do.
[[nodiscard]] std::string why_inaccurate(const SolutionQuality& quality, const Precision& precision);

}  // namespace troupe::apps
