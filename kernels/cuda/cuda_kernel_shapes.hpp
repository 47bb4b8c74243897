/// Constants and types for the launches of the kernels of kernels/cuda/cuda_tile_kernels.cu, which host and device code
/// share.
#pragma once

#include <cstdint>

#include "kernels/sparse/block_places.hpp"

namespace troupe::kernels {

/// The number of threads in a block of every kernel.
inline constexpr int kKernelThreads = 256;
/// The number of row exchanges that are resolved together, each by one thread.
inline constexpr int kExchangesAtOnce = kKernelThreads;
/// The largest number of blocks in one direction of a grid; kernels loop over the rest.
inline constexpr int kMostBlocks = 32768;

/// The place in memory of a tile of a block column.
template <class T>
struct TilePlace {
  T* data;
  std::int64_t ld;
  /// The tile's first row in the column, and the first row of the next tile.
  std::int64_t begin;
  std::int64_t end;
};

/// The places of as many tiles as one launch can pass, as its arguments may have 4096 bytes.
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

/// The memory of the super-blocks of a step. The `..._step` fields are the distances between their neighbours, in
/// elements of T.
template <class T>
struct BlockMemory {
  const T* left;
  const T* right;
  T* result;
  std::int64_t left_step;
  std::int64_t right_step;
  std::int64_t result_step;
};

/// The operands of a step's batched calls, in the device's memory.
template <class T>
struct BlockPointers {
  const T* left[kMostBatched];
  const T* right[kMostBatched];
  T* result[kMostBatched];
};

/// The rule for small pivots of a block, and the rows to report them with.
template <class T>
struct PivotTask {
  T least;
  /// The number of rows of its super-block above the block, and of the whole matrix above the super-block.
  std::int64_t above;
  std::int64_t first;
  /// True for the first block of its super-block, where counts begin.
  bool begins;
};

}  // namespace troupe::kernels
