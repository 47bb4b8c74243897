/// A square matrix in tiles, in one block of host memory to which GPUs copy at full speed.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "platform/memory/pinned_memory.hpp"
#include "troupe/runtime.hpp"
#include "troupe/tiled_matrix.hpp"

namespace troupe::bench {

/// Memory for `part` of a square matrix of doubles, pinned if there is a GPU, and the handles of its tiles. The memory
/// is freed after the last use of the tiles.
class TilesOfMemory {
 public:
  /// `n` must be a multiple of `tile`. Throws `out_of_memory` if there is too little memory, or if the system does not
  /// allow so much pinned memory.
  TilesOfMemory(Runtime& runtime, std::int64_t n, std::int64_t tile, TilePart part, const std::string& name);

  [[nodiscard]] TiledMatrix<double>& tiles() { return tiles_; }
  [[nodiscard]] double* data() { return reinterpret_cast<double*>(buffer_.data.get()); }
  [[nodiscard]] Bytes size() const { return buffer_.size; }

  /// Submits one task for each tile, which fills the tile with its part of the matrix that `symmetric_element` defines.
  void generate(std::uint64_t seed, double diagonal);
  /// Waits until the data are in host memory, one column of tiles after the other. In mode read_write no other memory
  /// has a valid copy afterwards.
  void bring_home(AccessMode mode);

 private:
  template <class F>
  void for_each_tile(F function);

  Runtime& runtime_;
  TilePart part_;
  client::Memory buffer_;
  platform::PinnedMemory pinned_;
  TiledMatrix<double> tiles_;
};

/// Returns the memory that `part` of a matrix of order `n` takes.
[[nodiscard]] Bytes memory_of(std::int64_t n, std::int64_t tile, TilePart part);

}  // namespace troupe::bench
