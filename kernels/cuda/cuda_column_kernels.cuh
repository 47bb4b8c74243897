/// Kernels for block columns that are given as separate tiles, included by kernels/cuda/cuda_tile_kernels.cu.
#pragma once

#include <cstdint>

#include "kernels/cuda/cuda_kernel_shapes.hpp"

namespace troupe::kernels {
namespace {

/// One row of a block column: its first element, and the distance to its next element.
template <class T>
struct Row {
  T* data;
  std::int64_t ld;
};

/// Returns row `index`, which the column must have.
template <class T>
__device__ Row<T> row_of(const TiledColumn<T>& column, std::int64_t index) {
  std::int64_t low = 0;
  std::int64_t high = column.tiles - 1;
  while (low < high) {
    const std::int64_t middle = (low + high) / 2;
    if (index < column.places[middle].end) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  const TilePlace<T>& place = column.places[low];
  return {place.data + (index - place.begin), place.ld};
}

/// Writes the first `count` places of `some` to `places`, from `begin` on.
template <class T>
__device__ void note_places(const TilePlaces<T>& some, TilePlace<T>* places, std::int64_t begin, int count) {
  if (static_cast<int>(threadIdx.x) < count) places[begin + threadIdx.x] = some.at[threadIdx.x];
}

/// If `gather` is true, copies the column's rows, from row `offset` on, to W. Otherwise copies W to these rows.
template <class T>
__device__ void copy_column(const TiledColumn<T>& column, std::int64_t offset, T* w, std::int64_t ldw, bool gather) {
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  std::int64_t i = offset + static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (; i < column.rows; i += stride) {
    const Row<T> row = row_of(column, i);
    T* const own = w + (i - offset);
    for (std::int64_t j = blockIdx.y; j < column.cols; j += gridDim.y) {
      if (gather) {
        own[j * ldw] = row.data[j * row.ld];
      } else {
        row.data[j * row.ld] = own[j * ldw];
      }
    }
  }
}

/// Converts the pivots `given`, counted from 1 in a panel of `rows` rows, to `pivots`, counted from 0 in the whole
/// matrix. If the panel has NaN, some numbers in `given` may not be rows of the panel; such a pivot becomes its own
/// row, so that it exchanges nothing. Runs in one block.
__device__ void settle_pivots(const int* given, int* pivots, std::int64_t count, std::int64_t rows,
                              std::int64_t first) {
  for (std::int64_t i = threadIdx.x; i < count; i += blockDim.x) {
    const std::int64_t row = given[i] - 1;
    pivots[i] = static_cast<int>(first + (row >= i && row < rows ? row : i));
  }
}

/// Exchanges rows `offset + i` and `pivots[i] - above` of C for i = 0, …, count - 1, in this order. Each block works on
/// whole columns. If a pivot is not a row of C, row `offset + i` is not exchanged, and `info` becomes `before` + i + 1
/// for one such i. If all pivots are rows of C, `info` becomes 0, or is not changed if `before` is not 0.
///
/// `kExchangesAtOnce` exchanges at a time are combined to one permutation of the exchanged rows. Then each column is
/// read and written once, neighbouring rows by neighbouring threads. Slot i < kExchangesAtOnce is row `offset + i`;
/// slot kExchangesAtOnce + i is row `pivots[i] - above`, if that row has no other slot.
template <class T>
__device__ void swap_rows(const TiledColumn<T>& c, const int* pivots, std::int64_t count, std::int64_t offset,
                          std::int64_t above, std::int64_t before, int* info) {
  __shared__ std::int64_t refused;
  __shared__ std::int64_t other[kExchangesAtOnce];
  __shared__ int partner[kExchangesAtOnce];
  __shared__ int source[2 * kExchangesAtOnce];
  __shared__ T value[2 * kExchangesAtOnce];
  const int own = static_cast<int>(threadIdx.x);
  if (own == 0) refused = 0;
  __syncthreads();
  for (std::int64_t begin = 0; begin < count; begin += kExchangesAtOnce) {
    const std::int64_t left = count - begin;
    const int length = left < kExchangesAtOnce ? static_cast<int>(left) : kExchangesAtOnce;
    const std::int64_t top = offset + begin;
    const bool used = own < length;
    if (used) {
      const std::int64_t pivot = pivots[begin + own] - above;
      const bool usable = pivot >= 0 && pivot < c.rows;
      other[own] = usable ? pivot : top + own;
      if (!usable) refused = before + begin + own + 1;
    }
    source[own] = own;
    source[kExchangesAtOnce + own] = kExchangesAtOnce + own;
    __syncthreads();
    if (used) {
      const std::int64_t inside = other[own] - top;
      if (inside >= 0 && inside < length) {
        partner[own] = static_cast<int>(inside);
      } else {
        int earliest = 0;
        while (other[earliest] != other[own]) ++earliest;
        partner[own] = kExchangesAtOnce + earliest;
      }
    }
    __syncthreads();
    if (own == 0) {
      for (int i = 0; i < length; ++i) {
        const int exchanged = partner[i];
        const int mine = source[i];
        source[i] = source[exchanged];
        source[exchanged] = mine;
      }
    }
    __syncthreads();
    const bool outside = used && partner[own] == kExchangesAtOnce + own;
    const Row<T> row = used ? row_of(c, top + own) : Row<T>{};
    const Row<T> far = outside ? row_of(c, other[own]) : Row<T>{};
    for (std::int64_t j = blockIdx.x; j < c.cols; j += gridDim.x) {
      if (used) value[own] = row.data[j * row.ld];
      if (outside) value[kExchangesAtOnce + own] = far.data[j * far.ld];
      __syncthreads();
      if (used) row.data[j * row.ld] = value[source[own]];
      if (outside) far.data[j * far.ld] = value[source[kExchangesAtOnce + own]];
      __syncthreads();
    }
  }
  __syncthreads();
  if (own == 0 && blockIdx.x == 0 && (refused != 0 || before == 0)) *info = static_cast<int>(refused);
}

}  // namespace
}  // namespace troupe::kernels
