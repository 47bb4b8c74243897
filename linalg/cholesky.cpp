#include "linalg/cholesky.hpp"

#include "kernels/codelets.hpp"
#include "linalg/tile_checks.hpp"
#include "linalg/tile_priorities.hpp"

namespace troupe::linalg {

using kernels::codelets;

template <class T>
void cholesky(Runtime& runtime, TiledMatrix<T>& a, const kernels::TileCodelets<T>& kernel) {
  require_square(a, "cholesky");
  require_diagonal_in_tiles(a);
  const std::vector<int> priorities = cholesky_priorities(TileGrid::of(a));
  auto priority = priorities.begin();
  for (int k = 0; k < a.tile_cols(); ++k) {
    const int top = a.diagonal(k);
    const std::int64_t offset = a.diagonal_offset(k);
    runtime.submit(kernel.potrf, {a(top, k)}, args(offset, k * a.tile().cols), {.priority = *priority++});
    for (int i = top + 1; i < a.tile_rows(); ++i) {
      runtime.submit(kernel.trsm_cholesky, {a(top, k), a(i, k)}, args(offset), {.priority = *priority++});
    }
    for (int j = k + 1; j < a.tile_cols(); ++j) {
      const int diagonal = a.diagonal(j);
      const std::int64_t row = a.diagonal_offset(j);
      runtime.submit(kernel.syrk, {a(diagonal, k), a(diagonal, j)}, args(row), {.priority = *priority++});
      for (int i = diagonal + 1; i < a.tile_rows(); ++i) {
        runtime.submit(kernel.gemm_nt, {a(i, k), a(diagonal, k), a(i, j)}, args(row), {.priority = *priority++});
      }
    }
  }
}

template <class T>
void cholesky_solve(Runtime& runtime, const TiledMatrix<T>& l, TiledMatrix<T>& b) {
  require_square(l, "cholesky_solve");
  require_equal_rows(l, b);
  const auto& kernel = codelets<T>();
  for (int r = 0; r < b.tile_cols(); ++r) {
    for (int k = 0; k < l.tile_cols(); ++k) {  // solves L Y = B
      const int top = l.diagonal(k);
      const std::int64_t offset = l.diagonal_offset(k);
      runtime.submit(kernel.solve_lower, {l(top, k), b(top, r)}, args(offset));
      for (int i = top + 1; i < l.tile_rows(); ++i) {
        runtime.submit(kernel.gemm_nn, {l(i, k), b(top, r), b(i, r)}, args(offset));
      }
    }
    for (int k = l.tile_cols() - 1; k >= 0; --k) {  // solves L^T X = Y
      const int top = l.diagonal(k);
      const std::int64_t offset = l.diagonal_offset(k);
      for (int i = top + 1; i < l.tile_rows(); ++i) {
        runtime.submit(kernel.gemm_tn, {l(i, k), b(i, r), b(top, r)}, args(offset));
      }
      runtime.submit(kernel.solve_lower_transposed, {l(top, k), b(top, r)}, args(offset));
    }
  }
}

template void cholesky(Runtime&, TiledMatrix<float>&, const kernels::TileCodelets<float>&);
template void cholesky(Runtime&, TiledMatrix<double>&, const kernels::TileCodelets<double>&);
template void cholesky_solve(Runtime&, const TiledMatrix<float>&, TiledMatrix<float>&);
template void cholesky_solve(Runtime&, const TiledMatrix<double>&, TiledMatrix<double>&);

}  // namespace troupe::linalg
