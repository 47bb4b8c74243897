#include "linalg/upper_solve.hpp"

#include "kernels/codelets.hpp"

namespace troupe::linalg {

template <class T>
void upper_solve(Runtime& runtime, const TiledMatrix<T>& u, TiledMatrix<T>& b) {
  const auto& kernel = kernels::codelets<T>();
  for (int r = 0; r < b.tile_cols(); ++r) {
    for (int k = u.tile_cols() - 1; k >= 0; --k) {
      const int top = u.diagonal(k);
      const std::int64_t offset = u.diagonal_offset(k);
      runtime.submit(kernel.solve_upper, {u(top, k), b(top, r)}, args(offset));
      for (int i = 0; i < top; ++i) {
        runtime.submit(kernel.gemm_nn, {u(i, k), b(top, r), b(i, r)}, args(offset));
      }
    }
  }
}

template void upper_solve(Runtime&, const TiledMatrix<float>&, TiledMatrix<float>&);
template void upper_solve(Runtime&, const TiledMatrix<double>&, TiledMatrix<double>&);

}  // namespace troupe::linalg
