#include "kernels/incremental_pivoting.hpp"

#include <algorithm>
#include <cassert>
#include <utility>
#include <vector>

#include "kernels/block_rows.hpp"
#include "kernels/factor.hpp"
#include "kernels/fortran.hpp"
#include "kernels/products.hpp"

namespace troupe::kernels {

namespace {

/// A pair of blocks with equally many columns. Their rows are counted together, like the rows of one block.
template <class T>
struct Pair {
  MatrixView<T> upper;
  MatrixView<T> lower;

  /// Exchanges two rows in the columns from `begin` up to `end`.
  void exchange(std::int64_t row, std::int64_t other, std::int64_t begin, std::int64_t end) const {
    const auto [one, one_ld] = place_of(row);
    const auto [two, two_ld] = place_of(other);
    for (std::int64_t j = begin; j < end; ++j) std::swap(one[j * one_ld], two[j * two_ld]);
  }

 private:
  /// Returns a row's first element, and the distance to its next element.
  [[nodiscard]] std::pair<T*, std::int64_t> place_of(std::int64_t row) const {
    if (row < upper.rows) return {upper.data + row, upper.ld};
    return {lower.data + (row - upper.rows), lower.ld};
  }
};

enum class Direction { forward, back };

/// Exchanges `count` rows, from row `first` on, with the rows that their pivots name. `Direction::back` reverses the
/// order of the exchanges.
template <class T>
void exchange(const Pair<T>& pair, const CheckedPivots& pivots, std::int64_t first, std::int64_t count,
              Direction direction) {
  // Work on a few columns at a time, so that their rows stay in the cache for any leading dimension.
  constexpr std::int64_t kStrip = 8;
  for (std::int64_t strip = 0; strip < pair.upper.cols; strip += kStrip) {
    const std::int64_t end = std::min(strip + kStrip, pair.upper.cols);
    for (std::int64_t step = 0; step < count; ++step) {
      const std::int64_t row = first + (direction == Direction::forward ? step : count - 1 - step);
      if (pivots[row] != row) pair.exchange(row, pivots[row], strip, end);
    }
  }
}

/// Computes A <- L A for a unit lower triangle.
template <class T>
void multiply_unit_lower(MatrixView<const T> l, MatrixView<T> a) {
  using fortran::as_int;
  if (a.rows == 0 || a.cols == 0) return;
  fortran::trmm('L', 'L', 'N', 'U', as_int(a.rows), as_int(a.cols), T{1}, l.data, as_int(l.ld), a.data, as_int(a.ld));
}

/// Computes [A; C] <- [L1; L2 I]^-1 [A; C], or, with `Direction::back`, [A; C] <- [L1; L2 I] [A; C].
template <class T>
void eliminate(MatrixView<const T> l1, MatrixView<const T> l2, MatrixView<T> a, MatrixView<T> c, Direction direction) {
  if (direction == Direction::forward) {
    solve_triangular('L', 'L', 'N', 'U', l1, a);
    multiply('N', 'N', T{-1}, l2, constant(a), T{1}, c);
  } else {
    multiply('N', 'N', T{1}, l2, constant(a), T{1}, c);
    multiply_unit_lower(l1, a);
  }
}

/// Applies one block of the factors (`count` columns, from column `first` on) to `pair`. With `Direction::back`,
/// applies the block's inverse.
template <class T>
void apply_block(MatrixView<const T> b, MatrixView<const T> l, const CheckedPivots& pivots, std::int64_t first,
                 std::int64_t count, const Pair<T>& pair, Direction direction) {
  if (direction == Direction::forward) exchange(pair, pivots, first, count, direction);
  eliminate(part(l, 0, first, count, count), columns_from(b, first, count), rows_from(pair.upper, first, count),
            pair.lower, direction);
  if (direction == Direction::back) exchange(pair, pivots, first, count, direction);
}

template <class T>
void apply_pair(MatrixView<const T> b, MatrixView<const T> l, const CheckedPivots& pivots, const Pair<T>& pair,
                Direction direction) {
  assert(b.rows == pair.lower.rows && b.cols == pair.upper.rows && l.cols == b.cols && "shapes do not fit");
  if (b.cols == 0 || pair.upper.cols == 0) return;
  for_each_block(
      b.cols, l.rows, direction == Direction::forward ? 'T' : 'N',
      [&](std::int64_t first, std::int64_t count) { apply_block(b, l, pivots, first, count, pair, direction); });
}

/// Copies the columns of U and of B into one block, with zeros below U's diagonal.
template <class T>
void copy_to_panel(MatrixView<const T> u, MatrixView<const T> b, MatrixView<T> panel) {
  for (std::int64_t j = 0; j < panel.cols; ++j) {
    T* const column = panel.data + j * panel.ld;
    std::fill_n(std::copy_n(u.data + j * u.ld, j + 1, column), u.rows - j - 1, T{0});
    std::copy_n(b.data + j * b.ld, b.rows, column + u.rows);
  }
}

/// Copies the factors back: U to `u`, the part below U's diagonal to `l`, and the rest to `b`.
template <class T>
void copy_from_panel(MatrixView<const T> panel, MatrixView<T> u, MatrixView<T> l, MatrixView<T> b) {
  for (std::int64_t j = 0; j < panel.cols; ++j) {
    const T* const column = panel.data + j * panel.ld;
    std::copy_n(column, j + 1, u.data + j * u.ld);
    std::copy_n(column + j + 1, u.rows - j - 1, l.data + j * l.ld + j + 1);
    std::copy_n(column + u.rows, b.rows, b.data + j * b.ld);
  }
}

/// Returns C as the upper block of a pair whose lower block is empty.
template <class T>
Pair<T> alone(MatrixView<T> c) {
  return {c, rows_from(c, c.rows, 0)};
}

}  // namespace

template <class T>
void gessm(MatrixView<const T> v, const CheckedPivots& pivots, MatrixView<T> c) {
  assert(v.rows == c.rows && v.rows >= v.cols && pivots.size() == v.cols && "shapes do not fit");
  exchange(alone(c), pivots, 0, v.cols, Direction::forward);
  eliminate(rows_from(v, 0, v.cols), rows_below(v, v.cols), rows_from(c, 0, v.cols), rows_below(c, v.cols),
            Direction::forward);
}

template <class T>
void gessm_back(MatrixView<const T> v, const CheckedPivots& pivots, MatrixView<T> c) {
  assert(v.rows == c.rows && v.rows >= v.cols && pivots.size() == v.cols && "shapes do not fit");
  eliminate(rows_from(v, 0, v.cols), rows_below(v, v.cols), rows_from(c, 0, v.cols), rows_below(c, v.cols),
            Direction::back);
  exchange(alone(c), pivots, 0, v.cols, Direction::back);
}

template <class T>
void tstrf(Team& team, MatrixView<T> u, MatrixView<T> b, MatrixView<T> l, std::span<int> pivots) {
  const std::int64_t n = b.cols;
  assert(u.rows == n && u.cols == n && l.cols == n && static_cast<std::int64_t>(pivots.size()) == n &&
         "shapes do not fit");
  if (n == 0) return;
  std::vector<T> work(static_cast<std::size_t>((std::min(l.rows, n) + b.rows) * std::min(l.rows, n)));
  std::vector<int> own(pivots.size());
  for (std::int64_t j = 0; j < n; ++j) std::fill_n(l.data + j * l.ld, l.rows, T{0});
  for_each_block(n, l.rows, 'T', [&](std::int64_t first, std::int64_t count) {
    const MatrixView<T> diagonal = part(u, first, first, count, count);
    const MatrixView<T> below = columns_from(b, first, count);
    const MatrixView<T> panel{work.data(), count + b.rows, count, count + b.rows};
    const std::span<int> chosen =
        std::span(own).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
    copy_to_panel(constant(diagonal), constant(below), panel);
    // A column of zeros is no error here: the column may still get a pivot from a tile further down.
    (void)factor_panel(team, panel, chosen);
    copy_from_panel(constant(panel), diagonal, columns_from(l, first, count), below);
    for (int& pivot : chosen) pivot += fortran::as_int(pivot < count ? first : n - count);
    if (first + count == n) return;
    const std::span<const int> known(own.data(), static_cast<std::size_t>(first + count));
    const std::int64_t right = first + count;
    const CheckedPivots checked({&known, 1}, 0, n + b.rows);
    split_among(team, n - right, kColumnStep, [&](std::int64_t from, std::int64_t cols) {
      apply_block(constant(b), constant(l), checked, first, count,
                  Pair<T>{columns_from(u, right + from, cols), columns_from(b, right + from, cols)},
                  Direction::forward);
    });
  });
  std::ranges::copy(own, pivots.begin());
}

template <class T>
void ssssm(MatrixView<const T> b, MatrixView<const T> l, const CheckedPivots& pivots, MatrixView<T> a,
           MatrixView<T> c) {
  apply_pair(b, l, pivots, Pair<T>{a, c}, Direction::forward);
}

template <class T>
void ssssm_back(MatrixView<const T> b, MatrixView<const T> l, const CheckedPivots& pivots, MatrixView<T> a,
                MatrixView<T> c) {
  apply_pair(b, l, pivots, Pair<T>{a, c}, Direction::back);
}

#define TROUPE_INSTANTIATE(T)                                                                                        \
  template void gessm(MatrixView<const T>, const CheckedPivots&, MatrixView<T>);                                     \
  template void gessm_back(MatrixView<const T>, const CheckedPivots&, MatrixView<T>);                                \
  template void tstrf(Team&, MatrixView<T>, MatrixView<T>, MatrixView<T>, std::span<int>);                           \
  template void ssssm(MatrixView<const T>, MatrixView<const T>, const CheckedPivots&, MatrixView<T>, MatrixView<T>); \
  template void ssssm_back(MatrixView<const T>, MatrixView<const T>, const CheckedPivots&, MatrixView<T>,            \
                           MatrixView<T>);
TROUPE_INSTANTIATE(float)
TROUPE_INSTANTIATE(double)
#undef TROUPE_INSTANTIATE

}  // namespace troupe::kernels
