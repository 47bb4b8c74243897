#include "kernels/codelets.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "kernels/blas_threads.hpp"
#include "kernels/factor.hpp"
#include "kernels/fortran.hpp"
#include "proto/errors.hpp"

namespace troupe::kernels {

namespace {

constexpr AccessMode r = AccessMode::read;
constexpr AccessMode w = AccessMode::write;
constexpr AccessMode rw = AccessMode::read_write;

int as_int(std::int64_t value) { return static_cast<int>(value); }

template <class T>
using In = MatrixView<const T>;
template <class T>
using Out = MatrixView<T>;

/// A codelet with this library's environment. `flops` is a function of the context.
template <class F, class Flops>
Codelet make(const char* name, std::vector<AccessMode> modes, F kernel, Flops flops) {
  return Codelet(name, std::move(modes)).cpu(kernel).flops(flops).environment(single_threaded_blas);
}

double rows(const KernelContext& c, std::size_t i) { return static_cast<double>(c.data(i).layout.rows); }
double cols(const KernelContext& c, std::size_t i) { return static_cast<double>(c.data(i).layout.cols); }

template <class T>
Codelet gemm(const char* name, char ta, char tb) {
  const auto kernel = [ta, tb](In<T> a, In<T> b, Out<T> c) {
    const std::int64_t inner = ta == 'N' ? a.cols : a.rows;
    fortran::gemm(ta, tb, as_int(c.rows), as_int(c.cols), as_int(inner), T{-1}, a.data, as_int(a.ld), b.data,
                  as_int(b.ld), T{1}, c.data, as_int(c.ld));
  };
  return make(name, {r, r, rw}, kernel,
              [ta](const KernelContext& c) { return 2 * rows(c, 2) * cols(c, 2) * (ta == 'N' ? cols(c, 0) : rows(c, 0)); });
}

template <class T>
Codelet syrk() {
  const auto kernel = [](In<T> a, Out<T> c) {
    fortran::syrk('L', 'N', as_int(c.rows), as_int(a.cols), T{-1}, a.data, as_int(a.ld), T{1}, c.data, as_int(c.ld));
  };
  return make("syrk", {r, rw}, kernel,
              [](const KernelContext& c) { return rows(c, 1) * (rows(c, 1) + 1) * cols(c, 0); });
}

template <class T>
Codelet trsm(const char* name, char side, char uplo, char trans, char diag) {
  const auto kernel = [=](In<T> a, Out<T> b) {
    solve_triangular(side, uplo, trans, diag, a, b);
  };
  return make(name, {r, rw}, kernel, [side](const KernelContext& c) {
    return side == 'L' ? rows(c, 1) * rows(c, 1) * cols(c, 1) : rows(c, 1) * cols(c, 1) * cols(c, 1);
  });
}

[[noreturn]] void singular(std::int64_t row) {
  throw Error(ErrorCode::numerical, "the matrix is singular: pivot " + std::to_string(row) + " is exactly zero");
}

template <class T>
Codelet potrf() {
  const auto kernel = [](Out<T> a, std::int64_t first) {
    const int info = kernels::potrf(a);
    if (info == 0) return;
    throw Error(ErrorCode::numerical, "the matrix is not positive definite: its leading minor of order " +
                                          std::to_string(first + info) + " is not positive");
  };
  return make("potrf", {rw}, kernel,
              [](const KernelContext& c) { return rows(c, 0) * rows(c, 0) * rows(c, 0) / 3; });
}

template <class T>
Codelet getrf_without_pivoting() {
  const auto kernel = [](Out<T> a, std::int64_t first) {
    if (const int info = kernels::getrf_without_pivoting(a); info != 0) singular(first + info);
  };
  return make("getrf_nopiv", {rw}, kernel,
              [](const KernelContext& c) { return 2 * rows(c, 0) * rows(c, 0) * rows(c, 0) / 3; });
}

/// Exchanges rows `first + i` and `pivots[i]` of C, in order.
template <class T>
void exchange(Out<T> c, const int* pivots, std::int64_t count, std::int64_t first) {
  constexpr std::int64_t kStrip = 16;  // columns at a time: their rows stay in the cache
  for (std::int64_t strip = 0; strip < c.cols; strip += kStrip) {
    const std::int64_t end = std::min(strip + kStrip, c.cols);
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t other = pivots[i];
      if (other == first + i) continue;
      for (std::int64_t j = strip; j < end; ++j) std::swap(c(first + i, j), c(other, j));
    }
  }
}

template <class T>
Codelet getrf_panel() {
  const auto kernel = [](Out<T> a, std::span<int> pivots, std::int64_t first) {
    const Out<T> panel{a.data + first, a.rows - first, a.cols, a.ld};
    const int info = factor_panel(panel, pivots);
    for (int& pivot : pivots) pivot += as_int(first);
    if (info != 0) singular(first + info);
  };
  return make("getrf", {rw, w}, kernel, [](const KernelContext& c) {
    const double m = rows(c, 0) - static_cast<double>(c.argument<std::int64_t>(0));
    const double n = cols(c, 0);
    return m * n * n - n * n * n / 3;
  });
}

template <class T>
Codelet swap_and_solve() {
  const auto kernel = [](In<T> l, std::span<const int> pivots, Out<T> c, std::int64_t first) {
    exchange(c, pivots.data(), static_cast<std::int64_t>(pivots.size()), first);
    solve_triangular('L', 'L', 'N', 'U', l, Out<T>{c.data + first, l.rows, c.cols, c.ld});
  };
  return make("swap_solve", {r, r, rw}, kernel,
              [](const KernelContext& c) { return rows(c, 0) * rows(c, 0) * cols(c, 2); });
}

template <class T>
Codelet swap_rows() {
  const auto kernel = [](std::span<const int> pivots, Out<T> c, std::int64_t first) {
    exchange(c, pivots.data() + first, static_cast<std::int64_t>(pivots.size()) - first, first);
  };
  return make("swap", {r, rw}, kernel, [](const KernelContext&) { return 0.0; });
}

template <class T>
Codelet geqrt() {
  const auto kernel = [](Out<T> a, Out<T> t, Out<T> v) {
    kernels::geqrt(a, t);
    for (std::int64_t j = 0; j < a.cols; ++j) std::copy_n(a.data + j * a.ld, a.rows, v.data + j * v.ld);
  };
  return make("geqrt", {rw, w, w}, kernel, [](const KernelContext& c) {
    return 2 * cols(c, 0) * cols(c, 0) * (rows(c, 0) - cols(c, 0) / 3);
  });
}

template <class T>
Codelet gemqrt(const char* name, char trans) {
  const auto kernel = [trans](In<T> v, In<T> t, Out<T> c) { kernels::gemqrt(trans, v, t, c); };
  return make(name, {r, r, rw}, kernel, [](const KernelContext& c) {
    return 2 * cols(c, 2) * cols(c, 0) * (2 * rows(c, 2) - cols(c, 0));
  });
}

template <class T>
Codelet tpqrt() {
  const auto kernel = [](Out<T> upper, Out<T> b, Out<T> t) { kernels::tpqrt(upper, b, t); };
  return make("tpqrt", {rw, rw, w}, kernel,
              [](const KernelContext& c) { return 2 * rows(c, 1) * cols(c, 1) * cols(c, 1); });
}

template <class T>
Codelet tpmqrt(const char* name, char trans) {
  const auto kernel = [trans](In<T> v, In<T> t, Out<T> a, Out<T> b) { kernels::tpmqrt(trans, v, t, a, b); };
  return make(name, {r, r, rw, rw}, kernel,
              [](const KernelContext& c) { return 4 * rows(c, 0) * cols(c, 0) * cols(c, 3); });
}

template <class T>
TileCodelets<T> make_codelets() {
  return {
      .gemm_nn = gemm<T>("gemm", 'N', 'N'),
      .gemm_nt = gemm<T>("gemm", 'N', 'T'),
      .gemm_tn = gemm<T>("gemm", 'T', 'N'),
      .syrk = syrk<T>(),
      .trsm_cholesky = trsm<T>("trsm", 'R', 'L', 'T', 'N'),
      .trsm_right_upper = trsm<T>("trsm", 'R', 'U', 'N', 'N'),
      .solve_lower = trsm<T>("trsm", 'L', 'L', 'N', 'N'),
      .solve_lower_transposed = trsm<T>("trsm", 'L', 'L', 'T', 'N'),
      .solve_unit_lower = trsm<T>("trsm", 'L', 'L', 'N', 'U'),
      .solve_upper = trsm<T>("trsm", 'L', 'U', 'N', 'N'),
      .potrf = potrf<T>(),
      .getrf_without_pivoting = getrf_without_pivoting<T>(),
      .getrf_panel = getrf_panel<T>(),
      .swap_and_solve = swap_and_solve<T>(),
      .swap_rows = swap_rows<T>(),
      .geqrt = geqrt<T>(),
      .gemqrt = gemqrt<T>("gemqrt", 'N'),
      .gemqrt_transposed = gemqrt<T>("gemqrt", 'T'),
      .tpqrt = tpqrt<T>(),
      .tpmqrt = tpmqrt<T>("tpmqrt", 'N'),
      .tpmqrt_transposed = tpmqrt<T>("tpmqrt", 'T'),
  };
}

}  // namespace

template <class T>
const TileCodelets<T>& codelets() {
  static const TileCodelets<T> all = make_codelets<T>();
  return all;
}

template const TileCodelets<float>& codelets();
template const TileCodelets<double>& codelets();

}  // namespace troupe::kernels
