/// LU with partial pivoting on a GPU, of block columns that are given in pieces.
#pragma once

#include <span>

#include "kernels/block_column.hpp"
#include "kernels/cuda/cuda_stream.hpp"

namespace troupe::kernels {

// Tiles and pivots are in the device's memory. Both functions work in the stream's memory, and need our own kernels.

/// A <- L (unit lower) and U from row `offset` on, which is row `first` of the whole matrix; `pivots`: counted from the
/// top of that. `info` <- below zero for a wrong argument; `zero` <- the first i, from 1, with U(i, i) = 0, else 0
/// (both in the device's memory). A has columns. Tiles that do not lie one below the other are copied together and
/// back.
template <class T>
void factor_panel(CudaStream& stream, const BlockColumn<T>& a, std::span<int> pivots, std::int64_t offset,
                  std::int64_t first, int* info, int* zero);

/// Exchanges rows of C, as `swap_rows` (kernels/cuda/cuda_kernels.hpp) does.
template <class T>
bool exchange_rows(CudaStream& stream, const BlockColumn<T>& c, std::span<const std::span<const int>> pivots,
                   std::int64_t offset, std::int64_t above, int* info);

}  // namespace troupe::kernels
