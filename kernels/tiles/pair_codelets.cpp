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

}  // namespace

template <class T>
Codelet getrf_incpiv() {
  const auto kernel = [](Team& team, Out<T> a, Out<T> v, std::span<int> pivots, std::int64_t first, std::int64_t last) {
    const Out<T> own = rows_below(a, a.rows - v.rows);
    std::vector<int> found(pivots.size());  // LAPACK reads the pivots again: see the comment in getrf_panel
    (void)factor_panel(team, own, std::span(found));
    std::ranges::copy(found, pivots.begin());
    copy_to(v, own);
    require_pivots(own, first, last);
  };
  return make("getrf_incpiv", {rw, w, w}, kernel,
              [](const KernelContext& c) { return panel_flops(rows(c, 1), cols(c, 0)); });
}

template <class T>
Codelet gessm(void (*apply)(In<T>, const CheckedPivots&, Out<T>)) {
  const auto kernel = [apply](Team& team, In<T> v, std::span<const int> pivots, Out<T> c) {
    const CheckedPivots rows = checked(pivots, v.rows);
    for_columns(team, rows_below(c, c.rows - v.rows), [&](Out<T> columns) { apply(v, rows, columns); });
  };
  return make("gessm", {r, r, rw}, kernel,
              [](const KernelContext& c) { return cols(c, 2) * cols(c, 0) * (2 * rows(c, 0) - cols(c, 0)); });
}

template <class T>
Codelet tstrf() {
  const auto kernel = [](Team& team, Out<T> u, Out<T> b, Out<T> l, std::span<int> pivots, std::int64_t offset,
                         std::int64_t first, std::int64_t last) {
    const Out<T> triangle = part(u, offset, 0, b.cols, b.cols);
    kernels::tstrf(team, triangle, b, l, pivots);
    require_pivots(triangle, first, last);
  };
  return make("tstrf", {rw, rw, w, w}, kernel,
              [](const KernelContext& c) { return rows(c, 1) * cols(c, 1) * cols(c, 1); });
}

template <class T>
Codelet ssssm(void (*apply)(In<T>, In<T>, const CheckedPivots&, Out<T>, Out<T>)) {
  const auto kernel = [apply](Team& team, In<T> b, In<T> l, std::span<const int> pivots, Out<T> a, Out<T> c,
                              std::int64_t offset) {
    const CheckedPivots rows = checked(pivots, b.cols + b.rows);
    const Out<T> upper = rows_from(a, offset, b.cols);
    split_among(team, c.cols, kColumnStep, [&](std::int64_t first, std::int64_t count) {
      apply(b, l, rows, columns_from(upper, first, count), columns_from(c, first, count));
    });
  };
  return make("ssssm", {r, r, r, rw, rw}, kernel,
              [](const KernelContext& c) { return 2 * rows(c, 0) * cols(c, 0) * cols(c, 4); });
}

template <class T>
Codelet geqrt() {
  const auto kernel = [](Team& team, Out<T> a, Out<T> t, Out<T> v) {
    const Out<T> own = rows_below(a, a.rows - v.rows);
    kernels::geqrt(team, own, t);
    copy_to(v, own);
  };
  return make("geqrt", {rw, w, w}, kernel,
              [](const KernelContext& c) { return 2 * cols(c, 0) * cols(c, 0) * (rows(c, 2) - cols(c, 0) / 3); });
}

template <class T>
Codelet gemqrt(const char* name, char trans) {
  const auto kernel = [trans](Team& team, In<T> v, In<T> t, Out<T> c) {
    kernels::gemqrt(team, trans, v, t, rows_below(c, c.rows - v.rows));
  };
  return make(name, {r, r, rw}, kernel,
              [](const KernelContext& c) { return 2 * cols(c, 2) * cols(c, 0) * (2 * rows(c, 0) - cols(c, 0)); });
}

template <class T>
Codelet tpqrt() {
  const auto kernel = [](Team& team, Out<T> upper, Out<T> b, Out<T> t, std::int64_t offset) {
    kernels::tpqrt(team, rows_from(upper, offset, b.cols), b, t);
  };
  return make("tpqrt", {rw, rw, w}, kernel,
              [](const KernelContext& c) { return 2 * rows(c, 1) * cols(c, 1) * cols(c, 1); });
}

template <class T>
Codelet tpmqrt(const char* name, char trans) {
  const auto kernel = [trans](Team& team, In<T> v, In<T> t, Out<T> a, Out<T> b, std::int64_t offset) {
    kernels::tpmqrt(team, trans, v, t, rows_from(a, offset, v.cols), b);
  };
  return make(name, {r, r, rw, rw}, kernel,
              [](const KernelContext& c) { return 4 * rows(c, 0) * cols(c, 0) * cols(c, 3); });
}

#define TROUPE_INSTANTIATE(T)                                                              \
  template Codelet getrf_incpiv<T>();                                                      \
  template Codelet gessm<T>(void (*)(In<T>, const CheckedPivots&, Out<T>));                \
  template Codelet tstrf<T>();                                                             \
  template Codelet ssssm<T>(void (*)(In<T>, In<T>, const CheckedPivots&, Out<T>, Out<T>)); \
  template Codelet geqrt<T>();                                                             \
  template Codelet gemqrt<T>(const char*, char);                                           \
  template Codelet tpqrt<T>();                                                             \
  template Codelet tpmqrt<T>(const char*, char);
TROUPE_INSTANTIATE(float)
TROUPE_INSTANTIATE(double)
#undef TROUPE_INSTANTIATE

}  // namespace troupe::kernels::tiles
