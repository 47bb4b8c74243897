/// How the kernels of kernels/cuda/cuda_tile_kernels.cu are launched: what host and device code must agree about.
#pragma once

#include <cstdint>

namespace troupe::kernels {

/// Threads in a block of every kernel.
inline constexpr int kKernelThreads = 256;
/// Row exchanges that are resolved together, one thread each.
inline constexpr int kExchangesAtOnce = kKernelThreads;
/// Blocks in one direction of a grid, at most; kernels go round for what is beyond.
inline constexpr int kMostBlocks = 32768;

/// Where a tile of a block column lies.
template <class T>
struct TilePlace {
  T* data;
  std::int64_t ld;
  /// Its first row in the column, and the first that is the next tile's.
  std::int64_t begin;
  std::int64_t end;
};

/// As many as a launch can be told of: arguments may have 4096 bytes.
template <class T>
struct TilePlaces {
  static constexpr int kMost = 120;
  TilePlace<T> at[kMost];
};

/// A block column in pieces, as device code sees it: `tiles` places in the device's memory.
template <class T>
struct TiledColumn {
  const TilePlace<T>* places;
  std::int64_t tiles;
  std::int64_t rows;
  std::int64_t cols;
};

}  // namespace troupe::kernels
