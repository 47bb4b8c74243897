/// The steps on super-blocks (kernels/sparse/super_block_steps.hpp) on a GPU, as batched calls.
#pragma once

#include <cstdint>

#include "kernels/cuda/cuda_stream.hpp"
#include "kernels/sparse/super_block.hpp"

namespace troupe::kernels::cuda {

// All data are in the device's memory. The functions only enqueue work, use the stream's work space, and need Troupe's
// own kernels. Each function makes one launch that writes the addresses of the blocks, and then the calls of its
// `BlockBatches`; the stream counts launches and calls. In each block the products come in the same order as on cores.

/// Computes D <- L (unit lower) and U. A pivot whose absolute value is below `least` becomes `least`, with its sign.
/// `report` is described at `SuperBlockCodelets::factorize`. `zero_pivot` becomes the first row, from 1, whose pivot is
/// exactly zero, otherwise 0. Blocks of more than `kFactoredAtOnce` rows need more calls.
template <class T>
void factorize_super_block(CudaStream& stream, const SuperBlock<T>& d, T least, std::int64_t first,
                           std::int64_t* report, int* zero_pivot);

/// Computes A <- A U^-1, where U is the upper triangle of D.
template <class T>
void solve_with_upper(CudaStream& stream, const SuperBlock<const T>& d, const SuperBlock<T>& a);

/// Computes B <- L^-1 B, where L is the unit lower triangle of D.
template <class T>
void solve_with_lower(CudaStream& stream, const SuperBlock<const T>& d, const SuperBlock<T>& b);

/// Computes C <- C - A B.
template <class T>
void subtract_product(CudaStream& stream, const SuperBlock<const T>& a, const SuperBlock<const T>& b,
                      const SuperBlock<T>& c);

/// The largest order of a diagonal block that one launch factorizes.
inline constexpr std::int64_t kFactoredAtOnce = 256;

}  // namespace troupe::kernels::cuda
