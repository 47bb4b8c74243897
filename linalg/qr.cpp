#include "linalg/qr.hpp"

#include "kernels/codelets.hpp"
#include "linalg/factor_data.hpp"
#include "linalg/tile_checks.hpp"
#include "linalg/tile_priorities.hpp"
#include "linalg/upper_solve.hpp"

namespace troupe::linalg {

using kernels::codelets;

template <class T>
QrFactors<T>::QrFactors(Runtime& runtime, const TiledMatrix<T>& a, std::int64_t inner, TileStorage storage) {
  require_tall(a, "qr");
  require_diagonal_in_tiles(a);
  require_inner_block(inner);
  for (int k = 0; k < a.tile_cols(); ++k) {
    const int top = a.diagonal(k);
    diagonal_.push_back(factor_data<T>(runtime, a.rows_of(top) - a.diagonal_offset(k), a.cols_of(k), "V", storage));
    std::vector<Data>& column = t_.emplace_back();
    for (int i = top; i < a.tile_rows(); ++i) {
      column.push_back(factor_data<T>(runtime, std::min(inner, a.cols_of(k)), a.cols_of(k), "T", storage));
    }
  }
}

template <class T>
void qr(Runtime& runtime, TiledMatrix<T>& a, QrFactors<T>& factors, const kernels::TileCodelets<T>& kernel) {
  const int n = a.tile_cols();
  const int m = a.tile_rows();
  const std::vector<int> priorities = qr_priorities(TileGrid::of(a));
  auto priority = priorities.begin();
  for (int k = 0; k < n; ++k) {
    const int top = a.diagonal(k);
    const std::int64_t offset = a.diagonal_offset(k);
    runtime.submit(kernel.geqrt, {a(top, k), factors.t(k, 0), factors.diagonal(k)}, {}, {.priority = *priority++});
    for (int j = k + 1; j < n; ++j) {
      runtime.submit(kernel.gemqrt_transposed, {factors.diagonal(k), factors.t(k, 0), a(top, j)}, {},
                     {.priority = *priority++});
    }
    for (int i = top + 1; i < m; ++i) {
      runtime.submit(kernel.tpqrt, {a(top, k), a(i, k), factors.t(k, i - top)}, args(offset),
                     {.priority = *priority++});
      for (int j = k + 1; j < n; ++j) {
        runtime.submit(kernel.tpmqrt_transposed, {a(i, k), factors.t(k, i - top), a(top, j), a(i, j)}, args(offset),
                       {.priority = *priority++});
      }
    }
  }
}

template <class T>
void qr_apply(Runtime& runtime, const TiledMatrix<T>& a, const QrFactors<T>& factors, bool transposed,
              TiledMatrix<T>& c) {
  require_equal_rows(a, c);
  const auto& kernel = codelets<T>();
  const int n = a.tile_cols();
  const int m = a.tile_rows();
  const Codelet& diagonal = transposed ? kernel.gemqrt_transposed : kernel.gemqrt;
  const Codelet& below = transposed ? kernel.tpmqrt_transposed : kernel.tpmqrt;
  for (int r = 0; r < c.tile_cols(); ++r) {
    for (int step = 0; step < n; ++step) {
      // Q = Q_0 Q_1 …, where Q_k eliminates the tiles of column k, from the diagonal downwards.
      const int k = transposed ? step : n - 1 - step;
      const int top = a.diagonal(k);
      const std::int64_t offset = a.diagonal_offset(k);
      if (transposed) runtime.submit(diagonal, {factors.diagonal(k), factors.t(k, 0), c(top, r)});
      for (int row = top + 1; row < m; ++row) {
        const int i = transposed ? row : m + top - row;
        runtime.submit(below, {a(i, k), factors.t(k, i - top), c(top, r), c(i, r)}, args(offset));
      }
      if (!transposed) runtime.submit(diagonal, {factors.diagonal(k), factors.t(k, 0), c(top, r)});
    }
  }
}

template <class T>
void qr_solve(Runtime& runtime, const TiledMatrix<T>& a, const QrFactors<T>& factors, TiledMatrix<T>& b) {
  require_square(a, "qr_solve");
  qr_apply(runtime, a, factors, true, b);
  upper_solve(runtime, a, b);
}

#define TROUPE_INSTANTIATE(T)                                                                          \
  template class QrFactors<T>;                                                                         \
  template void qr(Runtime&, TiledMatrix<T>&, QrFactors<T>&, const kernels::TileCodelets<T>&);         \
  template void qr_apply(Runtime&, const TiledMatrix<T>&, const QrFactors<T>&, bool, TiledMatrix<T>&); \
  template void qr_solve(Runtime&, const TiledMatrix<T>&, const QrFactors<T>&, TiledMatrix<T>&);
TROUPE_INSTANTIATE(float)
TROUPE_INSTANTIATE(double)
#undef TROUPE_INSTANTIATE

}  // namespace troupe::linalg
