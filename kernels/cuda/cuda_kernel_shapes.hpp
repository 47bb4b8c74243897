/// How the kernels of kernels/cuda/cuda_tile_kernels.cu are launched: what host and device code must agree about.
#pragma once

namespace troupe::kernels {

/// Threads in a block of every kernel.
inline constexpr int kKernelThreads = 256;
/// Row exchanges that are resolved together, one thread each.
inline constexpr int kExchangesAtOnce = kKernelThreads;
/// Blocks in one direction of a grid, at most; kernels go round for what is beyond.
inline constexpr int kMostBlocks = 32768;

}  // namespace troupe::kernels
