#include "kernels/cuda/cuda_reflectors.hpp"

#include <algorithm>

#include "kernels/block_rows.hpp"
#include "kernels/cuda/cuda_blas.hpp"
#include "kernels/cuda/cuda_kernels.hpp"

namespace troupe::kernels {

namespace {

/// Returns the triangle that belongs to the reflectors from `first` on: geqrt and tpqrt store the triangles side by
/// side.
template <class T>
MatrixView<T> factor(MatrixView<T> t, std::int64_t first, std::int64_t count) {
  return {t.data + first * t.ld, count, count, t.ld};
}

}  // namespace

template <class T>
void gemqrt(CudaStream& stream, char trans, MatrixView<const T> v, MatrixView<const T> t, MatrixView<T> c) {
  if (c.rows == 0 || c.cols == 0 || v.cols == 0) return;
  const std::int64_t inner = t.rows;
  T* const work = stream.work_space<T>(static_cast<std::size_t>(v.rows * v.cols + inner * c.cols));
  // Store V with its ones and zeros, so that it can be an operand of ordinary matrix products.
  const MatrixView<T> whole{work, v.rows, v.cols, std::max<std::int64_t>(v.rows, 1)};
  unit_lower(stream, v, whole);
  for_each_block(v.cols, inner, trans, [&](std::int64_t first, std::int64_t count) {
    // Computes C <- C - V op(T) V^T C, where V has zeros above row `first`.
    const MatrixView<const T> reflectors = rows_below(columns_from(constant(whole), first, count), first);
    const MatrixView<T> below = rows_below(c, first);
    const MatrixView<T> product{work + v.rows * v.cols, count, c.cols, inner};
    cuda::gemm(stream, 'T', 'N', T{1}, reflectors, constant(below), T{0}, product);
    cuda::multiply_upper(stream, trans, factor(t, first, count), product);
    cuda::gemm(stream, 'N', 'N', T{-1}, reflectors, constant(product), T{1}, below);
  });
}

template <class T>
void tpmqrt(CudaStream& stream, char trans, MatrixView<const T> v, MatrixView<const T> t, MatrixView<T> a,
            MatrixView<T> b) {
  if (b.rows == 0 || b.cols == 0 || v.cols == 0) return;
  const std::int64_t inner = t.rows;
  T* const work = stream.work_space<T>(static_cast<std::size_t>(inner * b.cols));
  for_each_block(v.cols, inner, trans, [&](std::int64_t first, std::int64_t count) {
    // The reflectors are [I; V], so this computes W = op(T) (A + V^T B), A <- A - W, B <- B - V W.
    const MatrixView<const T> reflectors = columns_from(v, first, count);
    const MatrixView<T> facing = rows_from(a, first, count);
    const MatrixView<T> product{work, count, b.cols, inner};
    cuda::add(stream, T{1}, constant(facing), T{0}, constant(product), product);
    cuda::gemm(stream, 'T', 'N', T{1}, reflectors, constant(b), T{1}, product);
    cuda::multiply_upper(stream, trans, factor(t, first, count), product);
    cuda::add(stream, T{1}, constant(facing), T{-1}, constant(product), facing);
    cuda::gemm(stream, 'N', 'N', T{-1}, reflectors, constant(product), T{1}, b);
  });
}

template <class T>
void geqrt(CudaStream& stream, MatrixView<T> a, MatrixView<T> t) {
  const std::int64_t inner = t.rows;
  // Allocate the largest work space that `gemqrt` needs below, before anything is enqueued.
  (void)stream.work_space<T>(static_cast<std::size_t>((a.rows + a.cols) * inner));
  for_each_block(a.cols, inner, 'T', [&](std::int64_t first, std::int64_t count) {
    const MatrixView<T> below = rows_below(a, first);
    const MatrixView<T> panel = columns_from(below, first, count);
    const MatrixView<T> triangle = factor(t, first, count);
    factor_reflectors(stream, panel, triangle);
    gemqrt(stream, 'T', constant(panel), constant(triangle),
           columns_from(below, first + count, a.cols - first - count));
  });
}

template <class T>
void tpqrt(CudaStream& stream, MatrixView<T> upper, MatrixView<T> b, MatrixView<T> t) {
  const std::int64_t inner = t.rows;
  // Allocate the largest work space that `tpmqrt` needs below, before anything is enqueued.
  (void)stream.work_space<T>(static_cast<std::size_t>(inner * b.cols));
  for_each_block(b.cols, inner, 'T', [&](std::int64_t first, std::int64_t count) {
    const MatrixView<T> facing = rows_from(upper, first, count);
    const MatrixView<T> panel = columns_from(b, first, count);
    const MatrixView<T> triangle = factor(t, first, count);
    factor_stacked_reflectors(stream, columns_from(facing, first, count), panel, triangle);
    const std::int64_t left = b.cols - first - count;
    tpmqrt(stream, 'T', constant(panel), constant(triangle), columns_from(facing, first + count, left),
           columns_from(b, first + count, left));
  });
}

#define TROUPE_INSTANTIATE(T)                                                                       \
  template void geqrt(CudaStream&, MatrixView<T>, MatrixView<T>);                                   \
  template void tpqrt(CudaStream&, MatrixView<T>, MatrixView<T>, MatrixView<T>);                    \
  template void gemqrt(CudaStream&, char, MatrixView<const T>, MatrixView<const T>, MatrixView<T>); \
  template void tpmqrt(CudaStream&, char, MatrixView<const T>, MatrixView<const T>, MatrixView<T>, MatrixView<T>);
TROUPE_INSTANTIATE(float)
TROUPE_INSTANTIATE(double)
#undef TROUPE_INSTANTIATE

}  // namespace troupe::kernels
