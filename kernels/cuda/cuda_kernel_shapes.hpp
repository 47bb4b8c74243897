/// How the kernels of kernels/cuda/cuda_tile_kernels.cu are launched: what host and device code must agree about.
#pragma once

#include <cstdint>

#include "kernels/sparse/block_places.hpp"

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

/// Where the super-blocks of a step are, and how far apart their blocks.
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

/// What is to be done about pivots of a block, and said of them.
template <class T>
struct PivotTask {
  T least;
  /// Rows of its super-block above the block, and of the whole matrix above the super-block.
  std::int64_t above;
  std::int64_t first;
  /// The first block of its super-block: counts begin.
  bool begins;
};

}  // namespace troupe::kernels
