/// Kernels for panels of tile QR on a GPU, included by kernels/cuda/cuda_tile_kernels.cu.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "kernels/cuda/cuda_kernel_shapes.hpp"

namespace troupe::kernels {
namespace {

/// Combines the values `own` of all threads of the block with `join`, and returns the result in each thread. Two calls
/// need no barrier between them.
template <class T, class Join>
__device__ T join_over_block(T own, Join join) {
  constexpr int kParts = 16;
  __shared__ T values[kKernelThreads];
  __shared__ T parts[kParts];
  values[threadIdx.x] = own;
  __syncthreads();
  if (threadIdx.x < kParts) {
    T part = values[threadIdx.x];
    for (int i = 1; i < kKernelThreads / kParts; ++i) part = join(part, values[threadIdx.x + i * kParts]);
    parts[threadIdx.x] = part;
  }
  __syncthreads();
  T whole = parts[0];
  for (int i = 1; i < kParts; ++i) whole = join(whole, parts[i]);
  return whole;
}

/// Returns the length of a vector, in each thread of the block. The elements are scaled, so that their squares do not
/// overflow or underflow.
template <class T>
__device__ T length_over_block(const T* x, std::int64_t count) {
  using Limits = std::numeric_limits<T>;
  if (count <= 0) return T{0};
  const auto sum = [](T a, T b) { return a + b; };
  T own{0};
  for (std::int64_t i = threadIdx.x; i < count; i += kKernelThreads) own += x[i] * x[i];
  const T squares = join_over_block(own, sum);
  if (squares != squares || (squares > Limits::min() / Limits::epsilon() && squares <= Limits::max())) {
    return std::sqrt(squares);
  }
  own = T{0};
  for (std::int64_t i = threadIdx.x; i < count; i += kKernelThreads) own = std::fmax(own, std::fabs(x[i]));
  const T largest = join_over_block(own, [](T a, T b) { return a < b ? b : a; });
  if (largest == T{0} || largest > Limits::max()) return largest;
  own = T{0};
  for (std::int64_t i = threadIdx.x; i < count; i += kKernelThreads) own += (x[i] / largest) * (x[i] / largest);
  return largest * std::sqrt(join_over_block(own, sum));
}

/// Computes the QR factorization of a panel, column by column, and the triangle T of its reflectors, as LAPACK's geqrt
/// and tpqrt leave them. Runs in one block.
///
/// If `stacked`, the function factorizes the upper triangle R on top of B; all rows of B are used, and the reflectors
/// are stored in B. Otherwise R and B are the same matrix, with `rows` >= `cols`, and reflector j begins on the
/// diagonal.
template <class T, bool stacked>
__device__ void factor_reflectors(T* r, std::int64_t ldr, T* b, std::int64_t ldb, std::int64_t rows, std::int64_t cols,
                                  T* t, std::int64_t ldt) {
  // Columns are divided among groups of threads; neighbouring threads of a group have neighbouring rows.
  constexpr int kGroup = 32;
  constexpr int kGroups = kKernelThreads / kGroup;
  constexpr int kColumnsAtOnce = 64;
  __shared__ T partial[kColumnsAtOnce][kGroup + 1];
  __shared__ T share[kColumnsAtOnce];
  const int own = static_cast<int>(threadIdx.x);
  const int lane = own % kGroup;
  const int group = own / kGroup;
  for (std::int64_t j = 0; j < cols; ++j) {
    const std::int64_t begin = stacked ? 0 : j + 1;
    T* const x = b + j * ldb;
    T* const row = r + j;
    const T alpha = row[j * ldr];
    const T length = length_over_block(x + begin, rows - begin);
    const bool reflects = length != T{0};
    const T beta = reflects ? -std::copysign(std::hypot(alpha, length), alpha) : alpha;
    const T tau = reflects ? (beta - alpha) / beta : T{0};
    if (reflects) {
      for (std::int64_t i = begin + own; i < rows; i += kKernelThreads) x[i] /= alpha - beta;
    }
    __syncthreads();
    if (own == 0) {
      row[j * ldr] = beta;
      t[j + j * ldt] = tau;
    }
    for (std::int64_t first = 0; first < cols; first += kColumnsAtOnce) {
      const std::int64_t left = cols - first;
      const int count = left < kColumnsAtOnce ? static_cast<int>(left) : kColumnsAtOnce;
      for (int c = group; c < count; c += kGroups) {
        const T* const other = b + (first + c) * ldb;
        T sum{0};
        for (std::int64_t i = begin + lane; i < rows; i += kGroup) sum += x[i] * other[i];
        partial[c][lane] = sum;
      }
      __syncthreads();
      if (own < count && first + own != j) {
        T sum = partial[own][0];
        for (int i = 1; i < kGroup; ++i) sum += partial[own][i];
        const std::int64_t column = first + own;
        T& head = row[column * ldr];
        if (column < j) {
          // The product of the two reflectors is needed for T. In a stacked panel, the leading elements (1) of the two
          // reflectors are in different rows, so they do not contribute to the product.
          t[column + j * ldt] = stacked ? sum : sum + head;
        } else {
          share[own] = tau * (head + sum);
          head -= share[own];
        }
      }
      __syncthreads();
      for (int c = group; c < count; c += kGroups) {
        if (first + c <= j) continue;
        T* const other = b + (first + c) * ldb;
        for (std::int64_t i = begin + lane; i < rows; i += kGroup) other[i] -= share[c] * x[i];
      }
    }
    // Computes T(0:j, j) <- -tau T(0:j, 0:j) T(0:j, j), where column j has the products that were computed above. A row
    // is written only after all threads that need its old content have read it.
    for (std::int64_t first = 0; first < j; first += kKernelThreads) {
      const std::int64_t i = first + own;
      T sum{0};
      for (std::int64_t k = i; k < j; ++k) sum += t[i + k * ldt] * t[k + j * ldt];
      __syncthreads();
      if (i < j) t[i + j * ldt] = -tau * sum;
    }
    __syncthreads();
  }
}

}  // namespace
}  // namespace troupe::kernels
