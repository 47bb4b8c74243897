/// LU with partial pivoting on a GPU, for block columns that are given as separate tiles.
#pragma once

#include <span>

#include "kernels/block_column.hpp"
#include "kernels/cuda/cuda_stream.hpp"

namespace troupe::kernels {

// Tiles and pivots are in the device's memory. These functions use the stream's work space, and need Troupe's own
// kernels (`has_device_code`).

/// Computes A <- L (unit lower) and U, with cuSOLVER, whose manual describes `work` and `pivots`. Writes three values
/// to `status` (in the device's memory). The first is below zero for a wrong argument. The second is the first i, from
/// 1, with U(i, i) = 0, or 0 if there is none. The third is the result of `first_not_finite` for the original A. The
/// check of A is needed because on an H100 the result of cuSOLVER 13 has no NaN even if A has NaN.
template <class T>
void factor_checked(CudaStream& stream, MatrixView<T> a, T* work, int* pivots, int* status);

/// Computes A <- L (unit lower) and U from row `offset` on, which is row `first` of the whole matrix; `pivots` gets
/// rows of the whole matrix. `status` gets the same values as in `factor_checked`. A must have columns. Tiles that do
/// not lie one below the other in memory are copied into one block and back.
template <class T>
void factor_panel(CudaStream& stream, const BlockColumn<T>& a, std::span<int> pivots, std::int64_t offset,
                  std::int64_t first, int* status);

/// Exchanges rows of C, as `swap_rows` (kernels/cuda/cuda_kernels.hpp) does.
template <class T>
bool exchange_rows(CudaStream& stream, const BlockColumn<T>& c, std::span<const std::span<const int>> pivots,
                   std::int64_t offset, std::int64_t above, int* info);

}  // namespace troupe::kernels
