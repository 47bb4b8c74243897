// What tile codelets need on a GPU and no library offers. Each kernel is here for float (…_s) and double (…_d), by a
// name that kernels/cuda/cuda_kernels.cpp looks up; all of them run in blocks of kKernelThreads threads.
#include <cstdint>

#include "kernels/cuda/cuda_kernel_shapes.hpp"
#include "kernels/cuda/generated_elements.hpp"

namespace troupe::kernels {
namespace {

/// Exchanges rows `first + i` and `pivots[i]` of C, which has `rows` rows, for i = 0, …, count - 1, in this order. Each
/// block does whole columns. `info` <- some i + 1 whose pivot is no row of C, which stays where it is; 0 if there is
/// none.
///
/// `kExchangesAtOnce` exchanges are resolved to one permutation of the rows that they touch, and then each column is
/// read and written once, neighbouring rows by neighbouring threads. Slot i < kExchangesAtOnce stands for row
/// `first + i`, slot kExchangesAtOnce + i for row `pivots[i]`, if that is another one and no earlier exchange names it.
template <class T>
__device__ void swap_rows(T* c, std::int64_t ld, std::int64_t rows, std::int64_t cols, const int* pivots,
                          std::int64_t count, std::int64_t first, int* info) {
  __shared__ int refused;
  __shared__ std::int64_t row[kExchangesAtOnce];
  __shared__ int partner[kExchangesAtOnce];
  __shared__ int source[2 * kExchangesAtOnce];
  __shared__ T value[2 * kExchangesAtOnce];
  const int own = static_cast<int>(threadIdx.x);
  if (own == 0) refused = 0;
  __syncthreads();
  for (std::int64_t begin = 0; begin < count; begin += kExchangesAtOnce) {
    const std::int64_t left = count - begin;
    const int length = left < kExchangesAtOnce ? static_cast<int>(left) : kExchangesAtOnce;
    const std::int64_t top = first + begin;
    const bool used = own < length;
    if (used) {
      const std::int64_t pivot = pivots[begin + own];
      const bool usable = pivot >= 0 && pivot < rows;
      row[own] = usable ? pivot : top + own;
      if (!usable) refused = static_cast<int>(begin + own) + 1;
    }
    source[own] = own;
    source[kExchangesAtOnce + own] = kExchangesAtOnce + own;
    __syncthreads();
    if (used) {
      const std::int64_t inside = row[own] - top;
      if (inside >= 0 && inside < length) {
        partner[own] = static_cast<int>(inside);
      } else {
        int earliest = 0;
        while (row[earliest] != row[own]) ++earliest;
        partner[own] = kExchangesAtOnce + earliest;
      }
    }
    __syncthreads();
    if (own == 0) {
      for (int i = 0; i < length; ++i) {
        const int other = partner[i];
        const int mine = source[i];
        source[i] = source[other];
        source[other] = mine;
      }
    }
    __syncthreads();
    const bool outside = used && partner[own] == kExchangesAtOnce + own;
    for (std::int64_t j = blockIdx.x; j < cols; j += gridDim.x) {
      T* const column = c + j * ld;
      if (used) value[own] = column[top + own];
      if (outside) value[kExchangesAtOnce + own] = column[row[own]];
      __syncthreads();
      if (used) column[top + own] = value[source[own]];
      if (outside) column[row[own]] = value[source[kExchangesAtOnce + own]];
      __syncthreads();
    }
  }
  __syncthreads();
  if (own == 0 && blockIdx.x == 0) *info = refused;
}

/// W <- the unit lower triangle of V: ones on the diagonal and zeros above it, which V does not hold.
template <class T>
__device__ void unit_lower(const T* v, std::int64_t ldv, T* w, std::int64_t ldw, std::int64_t rows, std::int64_t cols) {
  const std::int64_t start = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t j = blockIdx.y; j < cols; j += gridDim.y) {
    for (std::int64_t i = start; i < rows; i += stride) {
      w[i + j * ldw] = i > j ? v[i + j * ldv] : (i == j ? T{1} : T{0});
    }
  }
}

/// `info` <- the first i, from 1, with A(i, i) = 0; 0 if there is none. One block.
template <class T>
__device__ void first_zero(const T* a, std::int64_t ld, std::int64_t order, int* info) {
  __shared__ int earliest;
  if (threadIdx.x == 0) earliest = static_cast<int>(order) + 1;
  __syncthreads();
  for (std::int64_t i = threadIdx.x; i < order; i += blockDim.x) {
    if (a[i + i * ld] == T{0}) atomicMin(&earliest, static_cast<int>(i) + 1);
  }
  __syncthreads();
  if (threadIdx.x == 0) *info = earliest > order ? 0 : earliest;
}

/// A <- the part of `symmetric_element`'s matrix that begins at (`row`, `col`).
template <class T>
__device__ void fill_symmetric(T* a, std::int64_t ld, std::int64_t rows, std::int64_t cols, std::int64_t row,
                               std::int64_t col, std::uint64_t seed, double diagonal) {
  const std::int64_t start = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t j = blockIdx.y; j < cols; j += gridDim.y) {
    for (std::int64_t i = start; i < rows; i += stride) {
      a[i + j * ld] = static_cast<T>(symmetric_element(seed, row + i, col + j, diagonal));
    }
  }
}

}  // namespace
}  // namespace troupe::kernels

#define TROUPE_KERNELS(T, p)                                                                                   \
  extern "C" __global__ void __launch_bounds__(troupe::kernels::kKernelThreads)                                \
      troupe_swap_rows_##p(T* c, std::int64_t ld, std::int64_t rows, std::int64_t cols, const int* pivots,     \
                           std::int64_t count, std::int64_t first, int* info) {                                \
    troupe::kernels::swap_rows(c, ld, rows, cols, pivots, count, first, info);                                 \
  }                                                                                                            \
  extern "C" __global__ void __launch_bounds__(troupe::kernels::kKernelThreads) troupe_unit_lower_##p(         \
      const T* v, std::int64_t ldv, T* w, std::int64_t ldw, std::int64_t rows, std::int64_t cols) {            \
    troupe::kernels::unit_lower(v, ldv, w, ldw, rows, cols);                                                   \
  }                                                                                                            \
  extern "C" __global__ void __launch_bounds__(troupe::kernels::kKernelThreads)                                \
      troupe_first_zero_##p(const T* a, std::int64_t ld, std::int64_t order, int* info) {                      \
    troupe::kernels::first_zero(a, ld, order, info);                                                           \
  }                                                                                                            \
  extern "C" __global__ void __launch_bounds__(troupe::kernels::kKernelThreads)                                \
      troupe_fill_symmetric_##p(T* a, std::int64_t ld, std::int64_t rows, std::int64_t cols, std::int64_t row, \
                                std::int64_t col, std::uint64_t seed, double diagonal) {                       \
    troupe::kernels::fill_symmetric(a, ld, rows, cols, row, col, seed, diagonal);                              \
  }
TROUPE_KERNELS(float, s)
TROUPE_KERNELS(double, d)
#undef TROUPE_KERNELS
