#include "kernels/condition_number.hpp"

#include <cassert>
#include <cstddef>
#include <vector>

#include "kernels/fortran.hpp"

namespace troupe::kernels {

namespace {

/// The work space of the estimators: up to four numbers and one integer for each row.
template <class T>
struct EstimatorSpace {
  explicit EstimatorSpace(std::int64_t n)
      : numbers(static_cast<std::size_t>(4 * n)), integers(static_cast<std::size_t>(n)) {}

  std::vector<T> numbers;
  std::vector<int> integers;
};

/// Calls `estimate(n, ld, result, numbers, integers, info)`, a LAPACK routine, with work space, and returns the result.
template <class T, class Estimate>
T estimated(MatrixView<const T> a, Estimate estimate) {
  if (a.rows == 0) return T{1};
  const int n = static_cast<int>(a.rows);
  const int ld = static_cast<int>(a.ld);
  EstimatorSpace<T> space(a.rows);
  T result{};
  int info = 0;
  estimate(&n, &ld, &result, space.numbers.data(), space.integers.data(), &info);
  assert(info == 0 && "an estimator was called with a wrong argument");
  return result;
}

}  // namespace

template <class T>
T reciprocal_condition_of_lu(MatrixView<const T> lu, T norm) {
  return estimated<T>(lu, [&](auto... rest) { fortran::gecon('1', lu.data, norm, rest...); });
}

template <class T>
T reciprocal_condition_of_cholesky(MatrixView<const T> l, T norm) {
  return estimated<T>(l, [&](auto... rest) { fortran::pocon('L', l.data, norm, rest...); });
}

template <class T>
T reciprocal_condition_of_triangle(MatrixView<const T> r) {
  return estimated<T>(r, [&](auto... rest) { fortran::trcon('1', 'U', 'N', r.data, rest...); });
}

#define TROUPE_INSTANTIATE(T)                                          \
  template T reciprocal_condition_of_lu(MatrixView<const T>, T);       \
  template T reciprocal_condition_of_cholesky(MatrixView<const T>, T); \
  template T reciprocal_condition_of_triangle(MatrixView<const T>);
TROUPE_INSTANTIATE(float)
TROUPE_INSTANTIATE(double)
#undef TROUPE_INSTANTIATE

}  // namespace troupe::kernels
