#include "apps/run/solution_quality.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "linalg/residuals.hpp"

namespace troupe::apps {

namespace {

/// If elements grow more than this, the factors of LU with partial pivoting lose three digits. Growth is seldom above
/// the square root of the order.
constexpr double kMuchGrowth = 1000;

template <class T>
double largest_element(const linalg::DenseMatrix<T>& a, bool upper_only) {
  double largest = 0;
  for (std::int64_t j = 0; j < a.cols; ++j) {
    for (std::int64_t i = 0; i < (upper_only ? std::min(j + 1, a.rows) : a.rows); ++i) {
      largest = std::max(largest, std::abs(static_cast<double>(a(i, j))));
    }
  }
  return largest;
}

template <class T>
bool all_finite(const linalg::DenseMatrix<T>& a) {
  return std::all_of(a.values.begin(), a.values.end(), [](T value) { return std::isfinite(value); });
}

/// Returns a text that names the first row or column whose elements are all zero (not `used`), counted from one; empty
/// if there is none.
std::string first_unused(const char* what, const std::vector<bool>& used) {
  const auto found = std::find(used.begin(), used.end(), false);
  return found == used.end() ? "" : fmt::format("{} {} is zero", what, found - used.begin() + 1);
}

}  // namespace

template <class T>
SolutionQuality solution_quality(const linalg::DenseMatrix<T>& a, const linalg::DenseMatrix<T>& factors,
                                 linalg::Application method, const linalg::DenseMatrix<T>& x) {
  SolutionQuality quality;
  quality.norm = one_norm(a);
  quality.largest = largest_element(a, false);
  if (method == linalg::Application::lu && quality.largest > 0)
    quality.growth = largest_element(factors, true) / quality.largest;
  quality.factors_finite = all_finite(factors);
  quality.solution_finite = all_finite(x);
  return quality;
}

template <class T>
std::string zero_row_or_column(const linalg::DenseMatrix<T>& a) {
  std::vector<bool> rows(static_cast<std::size_t>(a.rows));
  std::vector<bool> cols(static_cast<std::size_t>(a.cols));
  for (std::int64_t j = 0; j < a.cols; ++j) {
    for (std::int64_t i = 0; i < a.rows; ++i) {
      if (a(i, j) == T{0}) continue;
      rows[static_cast<std::size_t>(i)] = true;
      cols[static_cast<std::size_t>(j)] = true;
    }
  }
  const std::string row = first_unused("row", rows);
  return row.empty() ? first_unused("column", cols) : row;
}

std::string doubt_of(const SolutionQuality& quality, const NumberType& precision) {
  if (!(quality.reciprocal_condition < precision.eps)) return {};
  return fmt::format("the matrix is singular to {} precision: the solution may have no correct digit", precision.name);
}

std::string condition_text(const SolutionQuality& quality, const NumberType& precision) {
  if (std::isnan(quality.reciprocal_condition)) return "not known: numbers have overflowed";
  const std::string doubt = doubt_of(quality, precision);
  const std::string number =
      quality.reciprocal_condition > 0 ? fmt::format("about {:.1e}", 1 / quality.reciprocal_condition) : "infinite";
  return fmt::format("{} (estimated, 1-norm){}{}", number, doubt.empty() ? "" : ": ", doubt);
}

std::string why_inaccurate(const SolutionQuality& quality, const NumberType& precision) {
  const char* const other = precision.name == "float" ? ", or use --precision double" : "";
  if (quality.largest < precision.smallest_normal / precision.eps) {
    return fmt::format(
        "no element of the matrix is larger than {:.1e}, where {} precision has few digits left: scale "
        "the equations{}",
        quality.largest, precision.name, other);
  }
  if (!quality.factors_finite || !std::isfinite(quality.norm)) {
    return fmt::format("numbers became larger than {} precision can hold: scale the equations{}", precision.name,
                       other);
  }
  if (quality.growth > kMuchGrowth) {
    return fmt::format("elements grew by a factor of {:.1e} in LU with partial pivoting: use --method qr",
                       quality.growth);
  }
  if (!doubt_of(quality, precision).empty() || quality.solution_finite) {
    return fmt::format("the matrix may be singular to {} precision: its condition number is {}", precision.name,
                       condition_text(quality, precision));
  }
  return fmt::format("the solution is larger than {} precision can hold: scale the right-hand side{}", precision.name,
                     other);
}

#define TROUPE_INSTANTIATE(T)                                                                             \
  template SolutionQuality solution_quality(const linalg::DenseMatrix<T>&, const linalg::DenseMatrix<T>&, \
                                            linalg::Application, const linalg::DenseMatrix<T>&);          \
  template std::string zero_row_or_column(const linalg::DenseMatrix<T>&);
TROUPE_INSTANTIATE(float)
TROUPE_INSTANTIATE(double)
#undef TROUPE_INSTANTIATE

}  // namespace troupe::apps
