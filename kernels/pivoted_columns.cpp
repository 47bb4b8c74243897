#include "kernels/pivoted_columns.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>
#include <vector>

#include "kernels/fortran.hpp"
#include "kernels/loops/instruction_sets.hpp"
#include "kernels/products.hpp"

namespace troupe::kernels {

namespace {

/// A team member's candidate for the pivot: the largest element of its rows. Each candidate has a cache line of its
/// own.
template <class T>
struct alignas(64) Candidate {
  T size = -1;  // -1 if there are no rows, or all elements are NaN
  std::int64_t row = 0;
};

template <class T>
Candidate<T> largest(MatrixView<T> a, std::int64_t col, std::int64_t begin, std::int64_t end) {
  Candidate<T> found;
  for (std::int64_t i = begin; i < end; ++i) {
    if (const T size = std::abs(a(i, col)); size > found.size) found = {size, i};
  }
  return found;
}

/// Eliminates column `col` in the rows `begin` to `end` - 1, which are below row `col`: divides their elements in the
/// column by the pivot, which gives L, and subtracts multiples of the column from the later columns.
template <class T>
[[gnu::always_inline]] inline void take_off(MatrixView<T> a, std::int64_t col, std::int64_t begin, std::int64_t end) {
  const T pivot = a(col, col);
  T* const own = a.data + col * a.ld;
  for (std::int64_t i = begin; i < end; ++i) own[i] /= pivot;
  for (std::int64_t j = col + 1; j < a.cols; ++j) {
    T* const other = a.data + j * a.ld;
    const T times = other[col];
    for (std::int64_t i = begin; i < end; ++i) other[i] -= own[i] * times;
  }
}

TROUPE_PER_INSTRUCTION_SET void eliminate_rows(MatrixView<double> a, std::int64_t col, std::int64_t begin,
                                               std::int64_t end) {
  take_off(a, col, begin, end);
}
TROUPE_PER_INSTRUCTION_SET void eliminate_rows(MatrixView<float> a, std::int64_t col, std::int64_t begin,
                                               std::int64_t end) {
  take_off(a, col, begin, end);
}

template <class T>
int factor_by_rows(Team& team, MatrixView<T> a, std::span<int> pivots) {
  assert(a.rows >= a.cols && a.cols <= kFewColumns && "shapes do not fit");
  std::vector<Candidate<T>> candidates(static_cast<std::size_t>(team.size()));
  int info = 0;
  team.run([&](int rank, int size) {
    const WorkRange own = work_range_of(a.rows, rank, size, kRowStep);
    const std::int64_t end = own.first + own.count;
    for (std::int64_t col = 0; col < a.cols; ++col) {
      candidates[static_cast<std::size_t>(rank)] = largest(a, col, std::max(own.first, col), end);
      team.barrier();
      if (rank == 0) {
        Candidate<T> best{-1, col};
        for (const Candidate<T>& one : candidates) {
          if (one.size > best.size) best = one;
        }
        pivots[static_cast<std::size_t>(col)] = fortran::as_int(best.row);
        for (std::int64_t j = 0; j < a.cols && best.row != col; ++j) std::swap(a(col, j), a(best.row, j));
        if (info == 0 && a(col, col) == T{0}) info = fortran::as_int(col + 1);
      }
      team.barrier();
      // If the pivot is zero, all elements below it are zero, too.
      if (a(col, col) != T{0}) eliminate_rows(a, col, std::max(own.first, col + 1), end);
    }
  });
  return info;
}

}  // namespace

template <class T>
int factor_columns(Team& team, MatrixView<T> a, std::span<int> pivots) {
  return factor_by_rows(team, a, pivots);
}

template int factor_columns(Team&, MatrixView<float>, std::span<int>);
template int factor_columns(Team&, MatrixView<double>, std::span<int>);

}  // namespace troupe::kernels
