/// The kernels of kernels/cuda/cuda_tile_kernels.cu, as functions that enqueue them.
#pragma once

#include <cstdint>

#include "graph/codelets/layout.hpp"
#include "kernels/cuda/cuda_stream.hpp"

namespace troupe::kernels {

/// Whether this build had a compiler for device code. If not, the functions below throw `no_implementation`.
[[nodiscard]] bool has_device_code();

// Views are of the device's memory. `T` is float or double. All enqueue one launch; nothing for empty blocks.

/// Exchanges rows `first + i` and `pivots[i]` of C for i = 0, …, count - 1, in this order. `info` (in the device's
/// memory) <- some i + 1 whose pivot is no row of C: that row stays where it is; 0 if there is none. Returns whether
/// there is anything to exchange, and `info` is set.
template <class T>
bool swap_rows(CudaStream& stream, MatrixView<T> c, const int* pivots, std::int64_t count, std::int64_t first,
               int* info);

/// W <- the unit lower triangle of V, with ones on the diagonal and zeros above. Both have the same shape.
template <class T>
void unit_lower(CudaStream& stream, MatrixView<const T> v, MatrixView<T> w);

/// `info` (in the device's memory) <- the first i, from 1, with A(i, i) = 0; 0 if there is none. A is square.
template <class T>
void first_zero(CudaStream& stream, MatrixView<const T> a, int* info);

/// A <- the part of `symmetric_element`'s matrix that begins at (`row`, `col`).
template <class T>
void fill_symmetric(CudaStream& stream, MatrixView<T> a, std::int64_t row, std::int64_t col, std::uint64_t seed,
                    double diagonal);

}  // namespace troupe::kernels
