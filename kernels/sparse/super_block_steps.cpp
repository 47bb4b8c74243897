#include "kernels/sparse/super_block_steps.hpp"

#include "kernels/products.hpp"

namespace troupe::kernels {
namespace {

template <class T>
void subtract_block(MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c) {
  multiply('N', 'N', T{-1}, a, b, T{1}, c);
}

/// Calls `use(i, j, k)` for the products that change full blocks of C.
template <class F>
void for_products(BlockMask a, BlockMask b, BlockMask c, int side, F use) {
  for (int j = 0; j < side; ++j) {
    for (int i = 0; i < side; ++i) {
      if (!is_full(c, i, j, side)) continue;
      for (int k = 0; k < side; ++k) {
        if (is_full(a, i, k, side) && is_full(b, k, j, side)) use(i, j, k);
      }
    }
  }
}

double cube(std::int64_t block) {
  return static_cast<double>(block) * static_cast<double>(block) * static_cast<double>(block);
}

}  // namespace

template <class T>
int factorize_super_block(const SuperBlock<T>& d, T least, ReplacedPivots& replaced) {
  const int side = d.side();
  for (int k = 0; k < side && d.full(k, k); ++k) {
    const MatrixView<T> diagonal = d.block(k, k);
    ReplacedPivots here;
    const int info = getrf_replacing_pivots(diagonal, least, here);
    const std::int64_t above = k * d.block_order();
    if (info != 0) return info + static_cast<int>(above);
    replaced.add(here, above);
    for (int i = k + 1; i < side; ++i) {
      if (d.full(i, k)) solve_triangular('R', 'U', 'N', 'N', constant(diagonal), d.block(i, k));
      if (d.full(k, i)) solve_triangular('L', 'L', 'N', 'U', constant(diagonal), d.block(k, i));
    }
    for (int j = k + 1; j < side; ++j) {
      for (int i = k + 1; i < side; ++i) {
        if (d.full(i, k) && d.full(k, j) && d.full(i, j)) {
          subtract_block(constant(d.block(i, k)), constant(d.block(k, j)), d.block(i, j));
        }
      }
    }
  }
  return 0;
}

template <class T>
void SolveWithUpper<T>::piece(int row) const {
  for (int k = 0; k < a_.side(); ++k) {
    if (!a_.full(row, k)) continue;
    solve_triangular('R', 'U', 'N', 'N', d_.block(k, k), a_.block(row, k));
    for (int j = k + 1; j < a_.side(); ++j) {
      if (d_.full(k, j) && a_.full(row, j)) {
        subtract_block(constant(a_.block(row, k)), d_.block(k, j), a_.block(row, j));
      }
    }
  }
}

template <class T>
void SolveWithLower<T>::piece(int col) const {
  for (int k = 0; k < b_.side(); ++k) {
    if (!b_.full(k, col)) continue;
    solve_triangular('L', 'L', 'N', 'U', d_.block(k, k), b_.block(k, col));
    for (int i = k + 1; i < b_.side(); ++i) {
      if (d_.full(i, k) && b_.full(i, col)) {
        subtract_block(d_.block(i, k), constant(b_.block(k, col)), b_.block(i, col));
      }
    }
  }
}

template <class T>
void SubtractProduct<T>::piece(int at) const {
  const int i = c_.bit_at(at) % c_.side();
  const int j = c_.bit_at(at) / c_.side();
  const MatrixView<T> c = c_.block(i, j);
  for (int k = 0; k < c_.side(); ++k) {
    if (a_.full(i, k) && b_.full(k, j)) subtract_block(a_.block(i, k), b_.block(k, j), c);
  }
}

double factorization_flops(BlockMask d, int side, std::int64_t block) {
  double cubes = 0;
  for (int k = 0; k < side && is_full(d, k, k, side); ++k) {
    cubes += 2.0 / 3;
    for (int i = k + 1; i < side; ++i) {
      cubes += (is_full(d, i, k, side) ? 1 : 0) + (is_full(d, k, i, side) ? 1 : 0);
      for (int j = k + 1; j < side; ++j) {
        if (is_full(d, i, k, side) && is_full(d, k, j, side) && is_full(d, i, j, side)) cubes += 2;
      }
    }
  }
  return cubes * cube(block);
}

double upper_solve_flops(BlockMask d, BlockMask a, int side, std::int64_t block) {
  double cubes = std::popcount(a);
  for_products(a, d, a, side, [&](int, int j, int k) { cubes += k < j ? 2 : 0; });
  return cubes * cube(block);
}

double lower_solve_flops(BlockMask d, BlockMask b, int side, std::int64_t block) {
  double cubes = std::popcount(b);
  for_products(d, b, b, side, [&](int i, int, int k) { cubes += k < i ? 2 : 0; });
  return cubes * cube(block);
}

double product_flops(BlockMask a, BlockMask b, BlockMask c, int side, std::int64_t block) {
  double cubes = 0;
  for_products(a, b, c, side, [&](int, int, int) { cubes += 2; });
  return cubes * cube(block);
}

#define TROUPE_INSTANTIATE(T)                                                   \
  template int factorize_super_block(const SuperBlock<T>&, T, ReplacedPivots&); \
  template class SolveWithUpper<T>;                                             \
  template class SolveWithLower<T>;                                             \
  template class SubtractProduct<T>;
TROUPE_INSTANTIATE(float)
TROUPE_INSTANTIATE(double)
#undef TROUPE_INSTANTIATE

}  // namespace troupe::kernels
