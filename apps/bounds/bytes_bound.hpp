/// A lower bound on the bytes that any schedule moves, given how long the schedule may take.
#pragma once

#include <cstdint>
#include <vector>

#include "apps/bounds/worker_type.hpp"
#include "troupe/units.hpp"

namespace troupe::apps {

struct BytesTile {
  Bytes bytes;
  /// The tile's place in the matrix; negative for data that are not a tile of the matrix, for example the factors T of
  /// QR.
  int row = -1;
  int column = -1;
};

struct BytesTask {
  std::uint32_t kind = 0;
  /// The tiles whose content the task needs, each once; the tile that the task updates comes first.
  std::vector<std::uint32_t> reads;
  /// The tiles that the task writes without needing their previous content.
  std::vector<std::uint32_t> overwrites;
};

/// Tasks, their data, a machine and a makespan. All data start in host memory.
struct BytesProblem {
  std::vector<BytesTask> tasks;
  std::vector<BytesTile> tiles;
  std::size_t kinds = 0;
  BoundMachine machine;
  double makespan_s = 0;
};

/// Returns a lower bound on the bytes that every schedule of at most `makespan_s` copies from one memory to another.
/// Pass the makespan of the run that is compared with the bound: with more time, the same run might do everything in
/// host memory and move nothing.
///
/// The bound is valid, but weak. It counts how often data must reach GPUs, but neither copies back to the host nor
/// repeated copies of data that have changed or were evicted. Expect real schedules to move a few times as much. The
/// bound is the larger of two bounds. Both use this fact: if tasks on a GPU read a tile, and no task overwrites the
/// tile without reading it, then at least one copy brought the tile to that GPU's memory. The reason is that the tile
/// started elsewhere, and a task that wrote the tile in that memory would have had to read it there first. Both bounds
/// take the amount of work that has to run on GPUs from the area bound's linear program (`LowerBounds`), because the
/// cores can do only a limited amount of work in the time.
///
/// *Tiles that reach any GPU.* Each task is counted only with the first of its tiles. A tile stays away from all GPUs
/// only if all its tasks run on cores. The program minimises the bytes of the tiles that reach GPUs. In the program, a
/// fraction of a tile stands for the same fraction of its tasks.
///
/// *Tiles that each GPU needs.* The program gives the least number of tasks of a kind that GPUs run. If these tasks are
/// triangles of tiles (`TileTriangles`), w tasks on one GPU need (w / c)^(2/3) tiles there. This function is concave in
/// w, so the total over the GPUs is least if as few GPUs as possible run as many tasks as they can in the time.
///
/// The bound has no meaning for a makespan below `LowerBounds`, because no such schedule exists. It is zero if no data
/// have to move.
[[nodiscard]] Bytes bytes_lower_bound(const BytesProblem& problem);

}  // namespace troupe::apps
