#include "apps/cholesky.hpp"

#include "kernels/codelets.hpp"

namespace troupe::apps {

using kernels::codelets;

template <class T>
void cholesky(Runtime& runtime, TiledMatrix<T>& a) {
  const auto& kernel = codelets<T>();
  const int n = a.tile_cols();
  for (int k = 0; k < n; ++k) {
    // Nearer to the critical path potrf - trsm - syrk - potrf … first.
    const int urgent = 3 * (n - k);
    runtime.submit(kernel.potrf, {a(k, k)}, args(k * a.tile()), {.priority = urgent});
    for (int i = k + 1; i < n; ++i) {
      runtime.submit(kernel.trsm_cholesky, {a(k, k), a(i, k)}, {}, {.priority = urgent - (i - k)});
    }
    for (int j = k + 1; j < n; ++j) {
      runtime.submit(kernel.syrk, {a(j, k), a(j, j)}, {}, {.priority = urgent - 3 * (j - k) + 1});
      for (int i = j + 1; i < n; ++i) {
        runtime.submit(kernel.gemm_nt, {a(i, k), a(j, k), a(i, j)}, {}, {.priority = urgent - 3 * (j - k) - (i - j)});
      }
    }
  }
}

template <class T>
void cholesky_solve(Runtime& runtime, const TiledMatrix<T>& l, TiledMatrix<T>& b) {
  const auto& kernel = codelets<T>();
  const int n = l.tile_cols();
  for (int r = 0; r < b.tile_cols(); ++r) {
    for (int k = 0; k < n; ++k) {  // L Y = B
      runtime.submit(kernel.solve_lower, {l(k, k), b(k, r)});
      for (int i = k + 1; i < n; ++i) runtime.submit(kernel.gemm_nn, {l(i, k), b(k, r), b(i, r)});
    }
    for (int k = n - 1; k >= 0; --k) {  // L^T X = Y
      runtime.submit(kernel.solve_lower_transposed, {l(k, k), b(k, r)});
      for (int i = 0; i < k; ++i) runtime.submit(kernel.gemm_tn, {l(k, i), b(k, r), b(i, r)});
    }
  }
}

template void cholesky(Runtime&, TiledMatrix<float>&);
template void cholesky(Runtime&, TiledMatrix<double>&);
template void cholesky_solve(Runtime&, const TiledMatrix<float>&, TiledMatrix<float>&);
template void cholesky_solve(Runtime&, const TiledMatrix<double>&, TiledMatrix<double>&);

}  // namespace troupe::apps
