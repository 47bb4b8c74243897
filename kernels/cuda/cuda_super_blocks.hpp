/// The steps on super-blocks (kernels/sparse/super_block_steps.hpp) on a GPU, as batched calls.
#pragma once

#include <cstdint>

#include "kernels/cuda/cuda_stream.hpp"
#include "kernels/sparse/super_block.hpp"

namespace troupe::kernels::cuda {

// All data are in the device's memory. The functions only enqueue, work in the stream's memory, and need our own
// kernels. Each consists of one launch that tells the others the places of their blocks, and of the calls of its
// `BlockBatches`; the stream counts them. In each block the products come in the same order as on cores.

/// D <- L (unit lower) and U. A pivot whose absolute value is below `least` becomes `least`, with its sign. `report`:
/// as `SuperBlockCodelets::factorize` has it. `zero_pivot` <- the first row, from 1, whose pivot is exactly zero, else
/// 0. Blocks of more than `kFactoredAtOnce` rows take more calls.
template <class T>
void factorize_super_block(CudaStream& stream, const SuperBlock<T>& d, T least, std::int64_t first,
                           std::int64_t* report, int* zero_pivot);

/// A <- A U^-1, U the upper triangle of D.
template <class T>
void solve_with_upper(CudaStream& stream, const SuperBlock<const T>& d, const SuperBlock<T>& a);

/// B <- L^-1 B, L the unit lower triangle of D.
template <class T>
void solve_with_lower(CudaStream& stream, const SuperBlock<const T>& d, const SuperBlock<T>& b);

/// C <- C - A B.
template <class T>
void subtract_product(CudaStream& stream, const SuperBlock<const T>& a, const SuperBlock<const T>& b,
                      const SuperBlock<T>& c);

/// The largest diagonal block that one launch factorizes.
inline constexpr std::int64_t kFactoredAtOnce = 256;

}  // namespace troupe::kernels::cuda
