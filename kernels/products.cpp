#include "kernels/products.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/block_rows.hpp"
#include "kernels/fortran.hpp"

namespace troupe::kernels {

namespace {

using fortran::as_int;

/// A grid of blocks of C, one for each member.
struct Grid {
  int rows;
  int cols;
};

/// Chooses the grid with the least copying: each member copies the rows of op(A) and the columns of op(B) that its
/// block needs, so a block should have few rows and few columns.
Grid grid_for(std::int64_t rows, std::int64_t cols, int size) {
  Grid best{1, size};
  const auto copied = [&](const Grid& grid) {
    return static_cast<double>(rows) / grid.rows + static_cast<double>(cols) / grid.cols;
  };
  for (int parts = 2; parts <= size; ++parts) {
    const Grid grid{parts, size / parts};
    if (size % parts == 0 && copied(grid) < copied(best)) best = grid;
  }
  return best;
}

/// Returns the first column of a member's strip of a trapezoid. The strips have equal areas.
std::int64_t strip_begin(std::int64_t rows, std::int64_t cols, int rank, int size) {
  if (rank == size) return cols;
  // The columns before column x have the area rows * x - x^2 / 2.
  const auto height = static_cast<double>(rows);
  const auto width = static_cast<double>(cols);
  const double before = (height - width / 2) * width * rank / size;
  const double exact = height - std::sqrt(std::max(0.0, height * height - 2 * before));
  return std::min(cols, static_cast<std::int64_t>(std::llround(exact / kRowStep)) * kRowStep);
}

}  // namespace

WorkRange work_range_of(std::int64_t all, int rank, int size, std::int64_t step) {
  const std::int64_t steps = (all + step - 1) / step;
  const auto begin = [&](std::int64_t member) { return std::min(all, steps * member / size * step); };
  return {begin(rank), begin(rank + 1) - begin(rank)};
}

template <class T>
void multiply(char ta, char tb, T alpha, MatrixView<const T> a, MatrixView<const T> b, T beta, MatrixView<T> c) {
  const std::int64_t inner = ta == 'N' ? a.cols : a.rows;
  if (c.rows == 0 || c.cols == 0 || (inner == 0 && beta == T{1})) return;
  fortran::gemm(ta, tb, as_int(c.rows), as_int(c.cols), as_int(inner), alpha, a.data, as_int(a.ld), b.data,
                as_int(b.ld), beta, c.data, as_int(c.ld));
}

template <class T>
void multiply_own_block(int rank, int size, char ta, char tb, T alpha, MatrixView<const T> a, MatrixView<const T> b,
                        T beta, MatrixView<T> c) {
  const Grid grid = grid_for(c.rows, c.cols, size);
  const WorkRange rows = work_range_of(c.rows, rank % grid.rows, grid.rows, kRowStep);
  const WorkRange cols = work_range_of(c.cols, rank / grid.rows, grid.cols, kColumnStep);
  multiply(ta, tb, alpha, ta == 'N' ? rows_from(a, rows.first, rows.count) : columns_from(a, rows.first, rows.count),
           tb == 'N' ? columns_from(b, cols.first, cols.count) : rows_from(b, cols.first, cols.count), beta,
           part(c, rows.first, cols.first, rows.count, cols.count));
}

template <class T>
void multiply(Team& team, char ta, char tb, T alpha, MatrixView<const T> a, MatrixView<const T> b, T beta,
              MatrixView<T> c) {
  if (team.size() == 1) return multiply(ta, tb, alpha, a, b, beta, c);
  team.run([&](int rank, int size) { multiply_own_block(rank, size, ta, tb, alpha, a, b, beta, c); });
}

template <class T>
void subtract_square(Team& team, MatrixView<const T> a, MatrixView<T> c) {
  const auto strip = [&](std::int64_t first, std::int64_t end) {
    const std::int64_t count = end - first;
    if (count <= 0 || a.cols == 0) return;
    const MatrixView<const T> facing = rows_from(a, first, count);
    const MatrixView<T> diagonal = part(c, first, first, count, count);
    fortran::syrk('L', 'N', as_int(count), as_int(a.cols), T{-1}, facing.data, as_int(a.ld), T{1}, diagonal.data,
                  as_int(c.ld));
    multiply('N', 'T', T{-1}, rows_below(a, end), facing, T{1}, part(c, end, first, c.rows - end, count));
  };
  if (team.size() == 1) return strip(0, c.cols);
  team.run([&](int rank, int size) {
    strip(strip_begin(c.rows, c.cols, rank, size), strip_begin(c.rows, c.cols, rank + 1, size));
  });
}

#define TROUPE_INSTANTIATE(T)                                                                               \
  template void multiply(char, char, T, MatrixView<const T>, MatrixView<const T>, T, MatrixView<T>);        \
  template void multiply(Team&, char, char, T, MatrixView<const T>, MatrixView<const T>, T, MatrixView<T>); \
  template void multiply_own_block(int, int, char, char, T, MatrixView<const T>, MatrixView<const T>, T,    \
                                   MatrixView<T>);                                                          \
  template void subtract_square(Team&, MatrixView<const T>, MatrixView<T>);
TROUPE_INSTANTIATE(float)
TROUPE_INSTANTIATE(double)
#undef TROUPE_INSTANTIATE

}  // namespace troupe::kernels
