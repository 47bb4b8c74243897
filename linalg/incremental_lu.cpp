#include "linalg/incremental_lu.hpp"

#include <algorithm>

#include "linalg/factor_data.hpp"
#include "linalg/tile_checks.hpp"
#include "linalg/tile_priorities.hpp"
#include "linalg/upper_solve.hpp"

namespace troupe::linalg {

template <class T>
IncrementalFactors<T>::IncrementalFactors(Runtime& runtime, const TiledMatrix<T>& a, std::int64_t inner,
                                          TileStorage storage) {
  require_square(a, "lu_incremental");
  require_diagonal_in_tiles(a);
  require_inner_block(inner);
  for (int k = 0; k < a.tile_cols(); ++k) {
    const int top = a.diagonal(k);
    const std::int64_t cols = a.cols_of(k);
    diagonal_.push_back(factor_data<T>(runtime, a.rows_of(top) - a.diagonal_offset(k), cols, "V", storage));
    std::vector<Data>& pivots = pivots_.emplace_back();
    std::vector<Data>& lower = lower_.emplace_back();
    for (int i = top; i < a.tile_rows(); ++i) {
      pivots.push_back(factor_data<int>(runtime, cols, 1, "P", storage));
      if (i > top) lower.push_back(factor_data<T>(runtime, std::min(inner, cols), cols, "L", storage));
    }
  }
}

template <class T>
void lu_incremental(Runtime& runtime, TiledMatrix<T>& a, IncrementalFactors<T>& factors,
                    const kernels::TileCodelets<T>& kernel) {
  const int n = a.tile_cols();
  const int m = a.tile_rows();
  const std::vector<int> priorities = lu_incremental_priorities(TileGrid::of(a));
  auto priority = priorities.begin();
  for (int k = 0; k < n; ++k) {
    const int top = a.diagonal(k);
    const std::int64_t offset = a.diagonal_offset(k);
    const std::int64_t first = k * a.tile().cols;
    const auto last = [&](int i) -> std::int64_t { return i + 1 == m ? 1 : 0; };
    runtime.submit(kernel.getrf_incpiv, {a(top, k), factors.diagonal(k), factors.pivots(k, 0)}, args(first, last(top)),
                   {.priority = *priority++});
    for (int j = k + 1; j < n; ++j) {
      runtime.submit(kernel.gessm, {factors.diagonal(k), factors.pivots(k, 0), a(top, j)}, {},
                     {.priority = *priority++});
    }
    for (int i = top + 1; i < m; ++i) {
      runtime.submit(kernel.tstrf, {a(top, k), a(i, k), factors.lower(k, i - top), factors.pivots(k, i - top)},
                     args(offset, first, last(i)), {.priority = *priority++});
      for (int j = k + 1; j < n; ++j) {
        runtime.submit(kernel.ssssm,
                       {a(i, k), factors.lower(k, i - top), factors.pivots(k, i - top), a(top, j), a(i, j)},
                       args(offset), {.priority = *priority++});
      }
    }
  }
}

template <class T>
void lu_incremental_apply(Runtime& runtime, const TiledMatrix<T>& a, const IncrementalFactors<T>& factors, bool back,
                          TiledMatrix<T>& c) {
  require_equal_rows(a, c);
  const auto& kernel = kernels::codelets<T>();
  const int n = a.tile_cols();
  const int m = a.tile_rows();
  const Codelet& pair = back ? kernel.ssssm_back : kernel.ssssm;
  for (int r = 0; r < c.tile_cols(); ++r) {
    for (int step = 0; step < n; ++step) {
      const int k = back ? n - 1 - step : step;
      const int top = a.diagonal(k);
      if (!back) runtime.submit(kernel.gessm, {factors.diagonal(k), factors.pivots(k, 0), c(top, r)});
      for (int row = top + 1; row < m; ++row) {
        const int i = back ? m + top - row : row;
        runtime.submit(pair, {a(i, k), factors.lower(k, i - top), factors.pivots(k, i - top), c(top, r), c(i, r)},
                       args(a.diagonal_offset(k)));
      }
      if (back) runtime.submit(kernel.gessm_back, {factors.diagonal(k), factors.pivots(k, 0), c(top, r)});
    }
  }
}

template <class T>
void lu_incremental_solve(Runtime& runtime, const TiledMatrix<T>& a, const IncrementalFactors<T>& factors,
                          TiledMatrix<T>& b) {
  lu_incremental_apply(runtime, a, factors, false, b);
  upper_solve(runtime, a, b);
}

#define TROUPE_INSTANTIATE(T)                                                                                       \
  template class IncrementalFactors<T>;                                                                             \
  template void lu_incremental(Runtime&, TiledMatrix<T>&, IncrementalFactors<T>&, const kernels::TileCodelets<T>&); \
  template void lu_incremental_apply(Runtime&, const TiledMatrix<T>&, const IncrementalFactors<T>&, bool,           \
                                     TiledMatrix<T>&);                                                              \
  template void lu_incremental_solve(Runtime&, const TiledMatrix<T>&, const IncrementalFactors<T>&, TiledMatrix<T>&);
TROUPE_INSTANTIATE(float)
TROUPE_INSTANTIATE(double)
#undef TROUPE_INSTANTIATE

}  // namespace troupe::linalg
