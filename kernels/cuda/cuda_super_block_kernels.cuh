/// Kernels for steps on super-blocks, included by kernels/cuda/cuda_tile_kernels.cu.
#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/cuda/cuda_kernel_shapes.hpp"

namespace troupe::kernels {
namespace {

/// Writes the addresses of the first `count` operands to `pointers`.
template <class T>
__device__ void note_blocks(const BlockPlaces& places, int count, const BlockMemory<T>& memory,
                            BlockPointers<T>* pointers) {
  const int stride = static_cast<int>(gridDim.x * blockDim.x);
  for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < count; i += stride) {
    pointers->left[i] = memory.left + places.left[i] * memory.left_step;
    pointers->right[i] = memory.right + places.right[i] * memory.right_step;
    pointers->result[i] = memory.result + places.result[i] * memory.result_step;
  }
}

/// Returns the pivot, or the value that replaces it. Runs in one thread.
template <class T>
__device__ T accept_pivot(T pivot, T least, std::int64_t row, std::int64_t& replaced, std::int64_t& earliest,
                          std::int64_t& zero) {
  if (std::fabs(pivot) < least) {
    pivot = std::copysign(least, pivot);
    if (replaced++ == 0) earliest = row;
  }
  if (pivot == T{0} && zero < 0) zero = row;
  return pivot;
}

/// Computes A <- L (unit lower) and U, without exchanging rows. A pivot whose absolute value is below `task.least`
/// becomes `task.least`, with its sign, and is counted. Runs in one block.
///
/// The factorization goes by panels of a few columns. First come the columns of the panel, one by one; then the rows to
/// the right of the panel's triangle, one thread per column; then the rest, where neighbouring threads have
/// neighbouring rows.
template <class T>
__device__ void factor_block(T* a, std::int64_t ld, std::int64_t order, const PivotTask<T>& task, std::int64_t* report,
                             int* zero_pivot) {
  constexpr int kPanel = 16;
  constexpr int kLanes = 32;
  constexpr int kGroups = kKernelThreads / kLanes;
  static_assert(kPanel * kPanel == kKernelThreads);
  __shared__ T pivot;
  __shared__ T triangle[kPanel][kPanel];
  const int own = static_cast<int>(threadIdx.x);
  const int lane = own % kLanes;
  const int group = own / kLanes;
  // Only the first thread uses the following variables.
  std::int64_t replaced = 0;
  std::int64_t earliest = 0;
  std::int64_t zero = -1;
  for (std::int64_t begin = 0; begin < order; begin += kPanel) {
    const std::int64_t left = order - begin;
    const std::int64_t end = left < kPanel ? order : begin + kPanel;
    for (std::int64_t j = begin; j < end; ++j) {
      if (own == 0) {
        pivot = accept_pivot(a[j + j * ld], task.least, j, replaced, earliest, zero);
        a[j + j * ld] = pivot;
      }
      __syncthreads();
      for (std::int64_t i = j + 1 + own; i < order; i += kKernelThreads) {
        const T factor = a[i + j * ld] / pivot;
        a[i + j * ld] = factor;
        for (std::int64_t c = j + 1; c < end; ++c) a[i + c * ld] -= factor * a[j + c * ld];
      }
      __syncthreads();
    }
    // If the panel reaches the end, there is nothing to its right.
    if (end == order) break;
    triangle[own / kPanel][own % kPanel] = a[begin + own / kPanel + (begin + own % kPanel) * ld];
    __syncthreads();
    for (std::int64_t c = end + own; c < order; c += kKernelThreads) {
      T* const column = a + begin + c * ld;
      T x[kPanel];
      for (int i = 0; i < kPanel; ++i) x[i] = column[i];
      for (int k = 0; k < kPanel; ++k) {
        for (int i = k + 1; i < kPanel; ++i) x[i] -= triangle[i][k] * x[k];
      }
      for (int i = 1; i < kPanel; ++i) column[i] = x[i];
    }
    __syncthreads();
    for (std::int64_t i = end + lane; i < order; i += kLanes) {
      T factors[kPanel];
      for (int k = 0; k < kPanel; ++k) factors[k] = a[i + (begin + k) * ld];
      for (std::int64_t c = end + group; c < order; c += kGroups) {
        const T* const above = a + begin + c * ld;
        T sum = a[i + c * ld];
        for (int k = 0; k < kPanel; ++k) sum -= factors[k] * above[k];
        a[i + c * ld] = sum;
      }
    }
    __syncthreads();
  }
  if (own != 0) return;
  const std::int64_t before = task.begins ? 0 : report[0];
  if (task.begins) report[1] = task.first;
  if (before == 0 && replaced > 0) report[1] = task.first + task.above + earliest;
  report[0] = before + replaced;
  if (task.begins) *zero_pivot = 0;
  if (zero >= 0 && *zero_pivot == 0) *zero_pivot = static_cast<int>(task.above + zero + 1);
}

}  // namespace
}  // namespace troupe::kernels
