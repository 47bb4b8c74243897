#include "apps/lu.hpp"

#include "kernels/codelets.hpp"

namespace troupe::apps {

using kernels::codelets;

Pivots::Pivots(Runtime& runtime, std::int64_t rows, std::int64_t tile)
    : rows_(static_cast<std::size_t>(rows)), registration_(runtime.vector(rows_, "pivots")) {
  std::vector<Block> blocks;
  for (std::int64_t i = 0; i < rows; i += tile) blocks.push_back({i, 0, std::min(tile, rows - i), 1});
  panels_ = runtime.partition(registration_, blocks);
}

template <class T>
void lu(Runtime& runtime, TiledMatrix<T>& a, const Pivots& pivots) {
  const auto& kernel = codelets<T>();
  const int n = a.tile_cols();
  for (int k = 0; k < n; ++k) {
    const int urgent = 2 * (n - k);
    const std::int64_t row = k * a.tile();
    runtime.submit(kernel.getrf_panel, {a.column(k), pivots.panel(k)}, args(row), {.priority = urgent + 1});
    for (int j = k + 1; j < n; ++j) {
      // The next panel's column first.
      const int priority = urgent - 2 * (j - k - 1);
      runtime.submit(kernel.swap_and_solve, {a(k, k), pivots.panel(k), a.column(j)}, args(row),
                     {.priority = priority});
      for (int i = k + 1; i < n; ++i) {
        runtime.submit(kernel.gemm_nn, {a(i, k), a(k, j), a(i, j)}, {}, {.priority = priority - 1});
      }
    }
  }
  // Later interchanges apply to L as well: once per block column, when all are known.
  for (int j = 0; j + 1 < n; ++j) {
    runtime.submit(kernel.swap_rows, {pivots.all(), a.column(j)}, args((j + 1) * a.tile()));
  }
}

template <class T>
void lu_solve(Runtime& runtime, const TiledMatrix<T>& lu, const Pivots& pivots, TiledMatrix<T>& b) {
  const auto& kernel = codelets<T>();
  for (int r = 0; r < b.tile_cols(); ++r) {
    runtime.submit(kernel.swap_rows, {pivots.all(), b.column(r)}, args(std::int64_t{0}));
  }
  lu_solve_without_pivoting(runtime, lu, b);
}

template <class T>
void lu_without_pivoting(Runtime& runtime, TiledMatrix<T>& a) {
  const auto& kernel = codelets<T>();
  const int n = a.tile_cols();
  for (int k = 0; k < n; ++k) {
    const int urgent = 3 * (n - k);
    runtime.submit(kernel.getrf_without_pivoting, {a(k, k)}, args(k * a.tile()), {.priority = urgent});
    for (int i = k + 1; i < n; ++i) {
      runtime.submit(kernel.trsm_right_upper, {a(k, k), a(i, k)}, {}, {.priority = urgent - (i - k)});
      runtime.submit(kernel.solve_unit_lower, {a(k, k), a(k, i)}, {}, {.priority = urgent - (i - k)});
    }
    for (int j = k + 1; j < n; ++j) {
      for (int i = k + 1; i < n; ++i) {
        const int distance = std::max(i, j) - k;
        runtime.submit(kernel.gemm_nn, {a(i, k), a(k, j), a(i, j)}, {}, {.priority = urgent - 3 * distance});
      }
    }
  }
}

template <class T>
void lu_solve_without_pivoting(Runtime& runtime, const TiledMatrix<T>& lu, TiledMatrix<T>& b) {
  const auto& kernel = codelets<T>();
  const int n = lu.tile_cols();
  for (int r = 0; r < b.tile_cols(); ++r) {
    for (int k = 0; k < n; ++k) {  // L Y = B
      runtime.submit(kernel.solve_unit_lower, {lu(k, k), b(k, r)});
      for (int i = k + 1; i < n; ++i) runtime.submit(kernel.gemm_nn, {lu(i, k), b(k, r), b(i, r)});
    }
    for (int k = n - 1; k >= 0; --k) {  // U X = Y
      runtime.submit(kernel.solve_upper, {lu(k, k), b(k, r)});
      for (int i = 0; i < k; ++i) runtime.submit(kernel.gemm_nn, {lu(i, k), b(k, r), b(i, r)});
    }
  }
}

#define TROUPE_INSTANTIATE(T)                                                                         \
  template void lu(Runtime&, TiledMatrix<T>&, const Pivots&);                                         \
  template void lu_solve(Runtime&, const TiledMatrix<T>&, const Pivots&, TiledMatrix<T>&);            \
  template void lu_without_pivoting(Runtime&, TiledMatrix<T>&);                                       \
  template void lu_solve_without_pivoting(Runtime&, const TiledMatrix<T>&, TiledMatrix<T>&);
TROUPE_INSTANTIATE(float)
TROUPE_INSTANTIATE(double)
#undef TROUPE_INSTANTIATE

}  // namespace troupe::apps
