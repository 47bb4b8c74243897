#include "kernels/tiles/pair_codelets.hpp"

#include <algorithm>
#include <span>
#include <vector>

#include "kernels/breakdown.hpp"
#include "kernels/factor.hpp"
#include "kernels/incremental_pivoting.hpp"
#include "kernels/reflectors.hpp"

namespace troupe::kernels::tiles {

namespace {

/// Copies the last rows of a diagonal tile, from the diagonal on, to V.
template <class T>
void copy_to(Out<T> v, Out<T> own) {
  for (std::int64_t j = 0; j < own.cols; ++j) std::copy_n(own.data + j * own.ld, own.rows, v.data + j * v.ld);
}

/// Returns the pivots. Checks that each is at least 0 and below `rows`.
CheckedPivots checked(const std::span<const int>& pivots, std::int64_t rows) { return {{&pivots, 1}, 0, rows}; }

/// Throws if a pivot is zero and `last` is true. Otherwise a tile further below may still have a pivot that is not
/// zero.
template <class T>
void require_pivots(Out<T> u, std::int64_t first, std::int64_t last) {
  for (std::int64_t j = 0; last != 0 && j < u.cols; ++j) {
    if (u(j, j) == T{0}) singular(first + j + 1);
  }
}

/// Checks T for `columns` reflectors: the number of rows of T is LAPACK's inner block size.
void inner_block(Conditions& c, const Layout& t, std::int64_t columns) {
  c.require(t.cols == columns, "T must have a column for each reflector");
  c.require(columns == 0 || (t.rows >= 1 && t.rows <= columns),
            "T must have at least one row, and at most as many as columns");
}

/// Checks L for `columns` columns of a pair of tiles: the number of rows of L is the inner block size.
void pair_factors(Conditions& c, const Layout& l, const Layout& pivots, std::int64_t columns) {
  c.require(l.cols == columns && pivots.elements() == columns,
            "L must have as many columns, and P as many elements, as B has columns");
  c.require(columns == 0 || (l.rows >= 1 && l.rows <= columns),
            "L must have at least one row, and at most as many as columns");
}

/// Checks the argument `last`, which is 0 or 1.
void flag(Conditions& c, std::size_t argument) { c.argument_up_to(argument, 1, "last"); }

/// Checks that row numbers of a pair fit into 32 bits.
void rows_of_pair(Conditions& c, const Layout& b) {
  c.require(b.rows <= kLargestSize - b.cols, "U and B must have at most 2147483647 rows together");
}

}  // namespace

template <class T>
Codelet getrf_incpiv(const Modes& modes) {
  const auto kernel = [](Team& team, Out<T> a, Out<T> v, std::span<int> pivots, std::int64_t first, std::int64_t last) {
    const Out<T> own = rows_below(a, a.rows - v.rows);
    std::vector<int> found(pivots.size());  // LAPACK reads the pivots again: see the comment in getrf_panel
    (void)factor_panel(team, own, std::span(found));
    std::ranges::copy(found, pivots.begin());
    copy_to(v, own);
    require_pivots(own, first, last);
  };
  return make("getrf_incpiv", modes, kernel,
              [](const KernelContext& c) { return panel_flops(rows(c, 1), cols(c, 0)); });
}

void check_getrf_incpiv(Conditions& c) {
  const Layout& a = c.data(0);
  const Layout& v = c.data(1);
  c.require(v.rows >= a.cols, "V must have at least as many rows as A has columns");
  c.require(v.rows <= a.rows && v.cols == a.cols, "V must have as many columns as A, and at most as many rows");
  c.require(c.data(2).elements() == a.cols, "P must have as many elements as A has columns");
  first_in_messages(c, 0);
  flag(c, 1);
}

template <class T, bool back>
Codelet gessm(const Modes& modes) {
  constexpr auto* kApply = back ? kernels::gessm_back<T> : kernels::gessm<T>;
  const auto kernel = [](Team& team, In<T> v, std::span<const int> pivots, Out<T> c) {
    const CheckedPivots rows = checked(pivots, v.rows);
    for_columns(team, rows_below(c, c.rows - v.rows), [&](Out<T> columns) { kApply(v, rows, columns); });
  };
  return make("gessm", modes, kernel,
              [](const KernelContext& c) { return cols(c, 2) * cols(c, 0) * (2 * rows(c, 0) - cols(c, 0)); });
}

void check_gessm(Conditions& c) {
  const Layout& v = c.data(0);
  c.require(v.rows >= v.cols, "V must have at least as many rows as columns");
  c.require(v.rows <= c.data(2).rows, "V must have at most as many rows as C");
  c.require(c.data(1).elements() == v.cols, "P must have as many elements as V has columns");
}

template <class T>
Codelet tstrf(const Modes& modes) {
  const auto kernel = [](Team& team, Out<T> u, Out<T> b, Out<T> l, std::span<int> pivots, std::int64_t offset,
                         std::int64_t first, std::int64_t last) {
    const Out<T> triangle = part(u, offset, 0, b.cols, b.cols);
    kernels::tstrf(team, triangle, b, l, pivots);
    require_pivots(triangle, first, last);
  };
  return make("tstrf", modes, kernel, [](const KernelContext& c) { return rows(c, 1) * cols(c, 1) * cols(c, 1); });
}

void check_tstrf(Conditions& c) {
  const Layout& upper = c.data(0);
  const Layout& b = c.data(1);
  c.require(upper.rows >= b.cols && upper.cols >= b.cols, "U must have as many rows and columns as B has columns");
  rows_of_pair(c, b);
  offset_of(c, 0, b.cols, upper.rows);
  first_in_messages(c, 1);
  flag(c, 2);
  pair_factors(c, c.data(2), c.data(3), b.cols);
}

template <class T, bool back>
Codelet ssssm(const Modes& modes) {
  constexpr auto* kApply = back ? kernels::ssssm_back<T> : kernels::ssssm<T>;
  const auto kernel = [](Team& team, In<T> b, In<T> l, std::span<const int> pivots, Out<T> a, Out<T> c,
                         std::int64_t offset) {
    const CheckedPivots rows = checked(pivots, b.cols + b.rows);
    const Out<T> upper = rows_from(a, offset, b.cols);
    split_among(team, c.cols, kColumnStep, [&](std::int64_t first, std::int64_t count) {
      kApply(b, l, rows, columns_from(upper, first, count), columns_from(c, first, count));
    });
  };
  return make("ssssm", modes, kernel, [](const KernelContext& c) { return 2 * rows(c, 0) * cols(c, 0) * cols(c, 4); });
}

void check_ssssm(Conditions& c) {
  const Layout& b = c.data(0);
  const Layout& a = c.data(3);
  c.require(c.data(4).rows == b.rows, "C must have as many rows as B");
  c.require(a.rows >= b.cols, "A must have at least as many rows as B has columns");
  c.require(a.cols == c.data(4).cols, "A must have as many columns as C");
  rows_of_pair(c, b);
  offset_of(c, 0, b.cols, a.rows);
  pair_factors(c, c.data(1), c.data(2), b.cols);
}

template <class T>
Codelet geqrt(const Modes& modes) {
  const auto kernel = [](Team& team, Out<T> a, Out<T> t, Out<T> v) {
    const Out<T> own = rows_below(a, a.rows - v.rows);
    kernels::geqrt(team, own, t);
    copy_to(v, own);
  };
  return make("geqrt", modes, kernel,
              [](const KernelContext& c) { return 2 * cols(c, 0) * cols(c, 0) * (rows(c, 2) - cols(c, 0) / 3); });
}

void check_geqrt(Conditions& c) {
  const Layout& a = c.data(0);
  const Layout& v = c.data(2);
  c.require(v.rows >= a.cols, "V must have at least as many rows as A has columns");
  inner_block(c, c.data(1), a.cols);
  c.require(v.rows <= a.rows && v.cols == a.cols, "V must have as many columns as A, and at most as many rows");
}

template <class T, char trans>
Codelet gemqrt(const Modes& modes) {
  const auto kernel = [](Team& team, In<T> v, In<T> t, Out<T> c) {
    kernels::gemqrt(team, trans, v, t, rows_below(c, c.rows - v.rows));
  };
  return make("gemqrt", modes, kernel,
              [](const KernelContext& c) { return 2 * cols(c, 2) * cols(c, 0) * (2 * rows(c, 0) - cols(c, 0)); });
}

void check_gemqrt(Conditions& c) {
  const Layout& v = c.data(0);
  c.require(v.rows >= v.cols, "V must have at least as many rows as columns");
  c.require(v.rows <= c.data(2).rows, "V must have at most as many rows as C");
  inner_block(c, c.data(1), v.cols);
}

template <class T>
Codelet tpqrt(const Modes& modes) {
  const auto kernel = [](Team& team, Out<T> upper, Out<T> b, Out<T> t, std::int64_t offset) {
    kernels::tpqrt(team, rows_from(upper, offset, b.cols), b, t);
  };
  return make("tpqrt", modes, kernel, [](const KernelContext& c) { return 2 * rows(c, 1) * cols(c, 1) * cols(c, 1); });
}

void check_tpqrt(Conditions& c) {
  const Layout& upper = c.data(0);
  const Layout& b = c.data(1);
  c.require(upper.rows >= b.cols && upper.cols >= b.cols, "R must have as many rows and columns as B has columns");
  offset_of(c, 0, b.cols, upper.rows);
  inner_block(c, c.data(2), b.cols);
}

template <class T, char trans>
Codelet tpmqrt(const Modes& modes) {
  const auto kernel = [](Team& team, In<T> v, In<T> t, Out<T> a, Out<T> b, std::int64_t offset) {
    kernels::tpmqrt(team, trans, v, t, rows_from(a, offset, v.cols), b);
  };
  return make("tpmqrt", modes, kernel, [](const KernelContext& c) { return 4 * rows(c, 0) * cols(c, 0) * cols(c, 3); });
}

void check_tpmqrt(Conditions& c) {
  const Layout& v = c.data(0);
  const Layout& a = c.data(2);
  const Layout& b = c.data(3);
  c.require(v.rows == b.rows, "V must have as many rows as B");
  c.require(a.rows >= v.cols, "A must have at least as many rows as V has columns");
  c.require(a.cols == b.cols, "A must have as many columns as B");
  offset_of(c, 0, v.cols, a.rows);
  inner_block(c, c.data(1), v.cols);
}

#define TROUPE_INSTANTIATE(T)                     \
  template Codelet getrf_incpiv<T>(const Modes&); \
  template Codelet gessm<T, false>(const Modes&); \
  template Codelet gessm<T, true>(const Modes&);  \
  template Codelet tstrf<T>(const Modes&);        \
  template Codelet ssssm<T, false>(const Modes&); \
  template Codelet ssssm<T, true>(const Modes&);  \
  template Codelet geqrt<T>(const Modes&);        \
  template Codelet gemqrt<T, 'N'>(const Modes&);  \
  template Codelet gemqrt<T, 'T'>(const Modes&);  \
  template Codelet tpqrt<T>(const Modes&);        \
  template Codelet tpmqrt<T, 'N'>(const Modes&);  \
  template Codelet tpmqrt<T, 'T'>(const Modes&);
TROUPE_INSTANTIATE(float)
TROUPE_INSTANTIATE(double)
#undef TROUPE_INSTANTIATE

}  // namespace troupe::kernels::tiles
