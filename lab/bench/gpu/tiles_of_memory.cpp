#include "lab/bench/gpu/tiles_of_memory.hpp"

#include <cstdint>

#include "kernels/codelets.hpp"

namespace troupe::bench {

TilesOfMemory::TilesOfMemory(Runtime& runtime, std::int64_t n, std::int64_t tile, TilePart part,
                             const std::string& name)
    : runtime_(runtime),
      part_(part),
      buffer_(runtime.allocate_bytes(memory_of(n, tile, part))),
      pinned_(platform::PinnedMemory::pin(buffer_.data.get(), buffer_.size).value_or_throw()),
      tiles_(TiledMatrix<double>::in_tiles(runtime, data(), n, n, tile, part, name)) {}

template <class F>
void TilesOfMemory::for_each_tile(F function) {
  for (int j = 0; j < tiles_.tile_cols(); ++j) {
    for (int i = part_ == TilePart::lower ? j : 0; i < tiles_.tile_rows(); ++i) function(i, j);
  }
}

void TilesOfMemory::generate(std::uint64_t seed, double diagonal) {
  const std::int64_t edge = tiles_.tile().cols;
  for_each_tile([&](int i, int j) {
    runtime_.submit(kernels::codelets<double>().fill_symmetric, {tiles_(i, j)},
                    args(i * edge, j * edge, seed, diagonal));
  });
}

void TilesOfMemory::bring_home(AccessMode mode) {
  for_each_tile([&](int i, int j) { (void)runtime_.acquire(tiles_(i, j), mode); });
}

Bytes memory_of(std::int64_t n, std::int64_t tile, TilePart part) {
  const auto across = static_cast<std::uint64_t>(n / tile);
  const std::uint64_t tiles = part == TilePart::lower ? across * (across + 1) / 2 : across * across;
  return {tiles * static_cast<std::uint64_t>(tile * tile) * sizeof(double)};
}

}  // namespace troupe::bench
