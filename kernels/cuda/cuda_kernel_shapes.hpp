/// Constants and types that host code and device code share: the host launches the kernels of
/// kernels/cuda/cuda_tile_kernels.cu with them.
#pragma once

#include <cstdint>

#include "kernels/sparse/block_places.hpp"

namespace troupe::kernels {

/// The number of threads in a block of every kernel.
inline constexpr int kKernelThreads = 256;
/// The number of row exchanges that are combined to one permutation: one thread per exchange.
inline constexpr int kExchangesAtOnce = kKernelThreads;
/// The largest number of blocks in one direction of a grid. If the data need more blocks, the kernels loop.
inline constexpr int kMostBlocks = 32768;

/// The place in memory of a tile of a block column.
template <class T>
struct TilePlace {
  T* data;
  std::int64_t ld;
  /// The numbers of the tile's first row, and of the next tile's first row, in the column.
  std::int64_t begin;
  std::int64_t end;
};

/// The places of up to `kMost` tiles. One launch takes no more, because its arguments have at most 4096 bytes.
template <class T>
struct TilePlaces {
  static constexpr int kMost = 120;
  TilePlace<T> at[kMost];
};

/// A block column of separate tiles, for device code: `places` is an array of `tiles` places in the device's memory.
template <class T>
struct TiledColumn {
  const TilePlace<T>* places;
  std::int64_t tiles;
  std::int64_t rows;
  std::int64_t cols;
};

/// The memory of the three super-blocks of a step. The `..._step` fields are the distances between neighbouring blocks,
/// in elements of T.
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

/// The rule for small pivots of a block, and the row offsets that are needed to report a replaced pivot by its row in
/// the whole matrix. A pivot whose absolute value is below `least` is replaced.
template <class T>
struct PivotTask {
  T least;
  /// `above` is the number of rows of the super-block above the block, `first` the number of rows of the whole matrix
  /// above the super-block.
  std::int64_t above;
  std::int64_t first;
  /// True for the first block of its super-block: the kernel then begins to count replaced pivots at zero.
  bool begins;
};

}  // namespace troupe::kernels
