// Kernels that tile codelets need on a GPU and that no library offers. Each kernel exists for float (…_s) and double
// (…_d). kernels/cuda/cuda_kernels.cpp looks the kernels up by name. All kernels run in blocks of kKernelThreads
// threads.
#include <cstdint>

#include "kernels/cuda/cuda_column_kernels.cuh"
#include "kernels/cuda/cuda_kernel_shapes.hpp"
#include "kernels/cuda/cuda_reflector_kernels.cuh"
#include "kernels/cuda/cuda_super_block_kernels.cuh"
#include "kernels/cuda/generated_elements.hpp"

namespace troupe::kernels {
namespace {

/// Writes the unit lower triangle of V to W, with the ones on the diagonal and the zeros above that V does not contain.
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

/// Writes to `info` the first i, from 1, where A(i, i) is a bad pivot; 0 if there is none. A pivot is bad if it is
/// zero. If `positive` is true, it is also bad if it is negative, infinite or NaN. Runs in one block.
template <class T>
__device__ void first_bad_pivot(const T* a, std::int64_t ld, std::int64_t order, bool positive, int* info) {
  __shared__ int earliest;
  if (threadIdx.x == 0) earliest = static_cast<int>(order) + 1;
  __syncthreads();
  for (std::int64_t i = threadIdx.x; i < order; i += blockDim.x) {
    const T pivot = a[i + i * ld];
    const bool usable = positive ? pivot > T{0} && pivot - pivot == T{0} : pivot != T{0};
    if (!usable) atomicMin(&earliest, static_cast<int>(i) + 1);
  }
  __syncthreads();
  if (threadIdx.x == 0) *info = earliest > order ? 0 : earliest;
}

/// Finds the first column of A, from 1, that has an element which is not finite. Writes its number to `info` if the
/// number is less than the present value of `info`.
template <class T>
__device__ void first_not_finite(const T* a, std::int64_t ld, std::int64_t rows, std::int64_t cols, int* info) {
  const std::int64_t start = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t j = blockIdx.y; j < cols; j += gridDim.y) {
    for (std::int64_t i = start; i < rows; i += stride) {
      const T element = a[i + j * ld];
      if (!(element - element == T{0})) atomicMin(info, static_cast<int>(j) + 1);
    }
  }
}

/// Fills A with the part of `symmetric_element`'s matrix that begins at (`row`, `col`).
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

#define TROUPE_KERNELS(T, p)                                                                                          \
  extern "C" __global__ void __launch_bounds__(troupe::kernels::kKernelThreads) troupe_note_places_##p(               \
      troupe::kernels::TilePlaces<T> some, troupe::kernels::TilePlace<T>* places, std::int64_t begin, int count) {    \
    troupe::kernels::note_places(some, places, begin, count);                                                         \
  }                                                                                                                   \
  extern "C" __global__ void __launch_bounds__(troupe::kernels::kKernelThreads) troupe_copy_column_##p(               \
      troupe::kernels::TiledColumn<T> column, std::int64_t offset, T* w, std::int64_t ldw, bool gather) {             \
    troupe::kernels::copy_column(column, offset, w, ldw, gather);                                                     \
  }                                                                                                                   \
  extern "C" __global__ void __launch_bounds__(troupe::kernels::kKernelThreads) troupe_settle_pivots_##p(             \
      const int* given, int* pivots, std::int64_t count, std::int64_t rows, std::int64_t first) {                     \
    troupe::kernels::settle_pivots(given, pivots, count, rows, first);                                                \
  }                                                                                                                   \
  extern "C" __global__ void __launch_bounds__(troupe::kernels::kKernelThreads)                                       \
      troupe_swap_rows_##p(troupe::kernels::TiledColumn<T> c, const int* pivots, std::int64_t count,                  \
                           std::int64_t offset, std::int64_t above, std::int64_t before, int* info) {                 \
    troupe::kernels::swap_rows(c, pivots, count, offset, above, before, info);                                        \
  }                                                                                                                   \
  extern "C" __global__ void __launch_bounds__(troupe::kernels::kKernelThreads) troupe_unit_lower_##p(                \
      const T* v, std::int64_t ldv, T* w, std::int64_t ldw, std::int64_t rows, std::int64_t cols) {                   \
    troupe::kernels::unit_lower(v, ldv, w, ldw, rows, cols);                                                          \
  }                                                                                                                   \
  extern "C" __global__ void __launch_bounds__(troupe::kernels::kKernelThreads)                                       \
      troupe_first_bad_pivot_##p(const T* a, std::int64_t ld, std::int64_t order, bool positive, int* info) {         \
    troupe::kernels::first_bad_pivot(a, ld, order, positive, info);                                                   \
  }                                                                                                                   \
  extern "C" __global__ void __launch_bounds__(troupe::kernels::kKernelThreads)                                       \
      troupe_fill_symmetric_##p(T* a, std::int64_t ld, std::int64_t rows, std::int64_t cols, std::int64_t row,        \
                                std::int64_t col, std::uint64_t seed, double diagonal) {                              \
    troupe::kernels::fill_symmetric(a, ld, rows, cols, row, col, seed, diagonal);                                     \
  }                                                                                                                   \
  extern "C" __global__ void __launch_bounds__(troupe::kernels::kKernelThreads)                                       \
      troupe_reflectors_##p(T* a, std::int64_t ld, std::int64_t rows, std::int64_t cols, T* t, std::int64_t ldt) {    \
    troupe::kernels::factor_reflectors<T, false>(a, ld, a, ld, rows, cols, t, ldt);                                   \
  }                                                                                                                   \
  extern "C" __global__ void __launch_bounds__(troupe::kernels::kKernelThreads) troupe_stacked_reflectors_##p(        \
      T* r, std::int64_t ldr, T* b, std::int64_t ldb, std::int64_t rows, std::int64_t cols, T* t, std::int64_t ldt) { \
    troupe::kernels::factor_reflectors<T, true>(r, ldr, b, ldb, rows, cols, t, ldt);                                  \
  }                                                                                                                   \
  extern "C" __global__ void __launch_bounds__(troupe::kernels::kKernelThreads)                                       \
      troupe_note_blocks_##p(troupe::kernels::BlockPlaces places, int count, troupe::kernels::BlockMemory<T> memory,  \
                             troupe::kernels::BlockPointers<T>* pointers) {                                           \
    troupe::kernels::note_blocks(places, count, memory, pointers);                                                    \
  }                                                                                                                   \
  extern "C" __global__ void __launch_bounds__(troupe::kernels::kKernelThreads)                                       \
      troupe_factor_block_##p(T* a, std::int64_t ld, std::int64_t order, troupe::kernels::PivotTask<T> task,          \
                              std::int64_t* report, int* zero_pivot) {                                                \
    troupe::kernels::factor_block(a, ld, order, task, report, zero_pivot);                                            \
  }                                                                                                                   \
  extern "C" __global__ void __launch_bounds__(troupe::kernels::kKernelThreads)                                       \
      troupe_first_not_finite_##p(const T* a, std::int64_t ld, std::int64_t rows, std::int64_t cols, int* info) {     \
    troupe::kernels::first_not_finite(a, ld, rows, cols, info);                                                       \
  }
TROUPE_KERNELS(float, s)
TROUPE_KERNELS(double, d)
#undef TROUPE_KERNELS
