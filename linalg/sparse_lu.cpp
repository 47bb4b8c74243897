#include "linalg/sparse_lu.hpp"

#include <cstddef>
#include <vector>

#include "proto/random.hpp"

namespace troupe::linalg {

namespace {

Codelet on_cores_only(const Codelet& codelet) {
  Codelet copy = codelet.copy();
  copy.implement(DeviceKind::cuda, nullptr);
  return copy;
}

class EmptyTiles {
 public:
  EmptyTiles(int rows, int cols, std::uint64_t seed) : rows_(rows) {
    Random random(seed);
    for (int column = 0; column < cols; ++column) {
      for (int row = 0; row < rows; ++row) empty_.push_back(row != column && random.below(3) == 0);
    }
  }
  bool operator()(int row, int column) const {
    return empty_[static_cast<std::size_t>(column) * static_cast<std::size_t>(rows_) + static_cast<std::size_t>(row)];
  }

 private:
  int rows_;
  std::vector<bool> empty_;
};

}  // namespace

template <class T>
void sparse_lu_without_pivoting(Runtime& runtime, TiledMatrix<T>& a, const kernels::TileCodelets<T>& kernel,
                                std::uint64_t seed) {
  const int n = a.tile_cols();
  const EmptyTiles empty(a.tile_rows(), n, seed);
  const Codelet factorize = on_cores_only(kernel.getrf_without_pivoting);
  const Codelet solve_right = on_cores_only(kernel.trsm_right_upper);
  const Codelet solve_left = on_cores_only(kernel.solve_unit_lower);
  const std::int64_t offset = 0;
  for (int k = 0; k < n; ++k) {
    runtime.submit(factorize, {a(k, k)}, args(offset, k * a.tile().cols));
    for (int i = k + 1; i < n; ++i) {
      if (!empty(i, k)) runtime.submit(solve_right, {a(k, k), a(i, k)}, args(offset));
      if (!empty(k, i)) runtime.submit(solve_left, {a(k, k), a(k, i)}, args(offset));
    }
    for (int j = k + 1; j < n; ++j) {
      for (int i = k + 1; i < n; ++i) {
        if (empty(i, k) || empty(k, j) || empty(i, j)) continue;
        runtime.submit(kernel.gemm_nn, {a(i, k), a(k, j), a(i, j)}, args(offset));
      }
    }
  }
}

template void sparse_lu_without_pivoting(Runtime&, TiledMatrix<float>&, const kernels::TileCodelets<float>&,
                                         std::uint64_t);
template void sparse_lu_without_pivoting(Runtime&, TiledMatrix<double>&, const kernels::TileCodelets<double>&,
                                         std::uint64_t);

}  // namespace troupe::linalg
