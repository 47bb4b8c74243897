/// A lower bound on the bytes that any schedule moves, given how long the schedule may take.
#pragma once

#include <cstdint>
#include <vector>

#include "apps/bounds/worker_type.hpp"
#include "troupe/units.hpp"

namespace troupe::apps {

struct BytesTile {
  Bytes bytes;
  /// The tile's place in the matrix; negative for data that are not a tile of the matrix (the factors T of QR, for
  /// example).
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
/// The bound is sound, but weak: it counts how often data must reach GPUs. It counts neither copies back to the host
/// nor repeated copies of data that have changed or were evicted. Expect real schedules to move a few times as
/// much. The bound is the larger of two bounds. Both rest on this: if tasks on a GPU read a tile, and no task
/// overwrites it unread, then at least one copy brought the tile to that GPU's memory. The tile started elsewhere, and
/// a task that made it there would have to read it there first. Both take the amount of work that has to run on GPUs
/// from the area bound's linear program (`LowerBounds`): the cores can do only so much in the time.
///
/// *Tiles that reach any GPU.* Each task is counted with the first of its tiles alone. A tile is kept from all GPUs
/// only if all its tasks run on cores; the program minimises the bytes of the others, where a part of a tile stands for
/// that part of its tasks.
///
/// *Tiles that each GPU needs.* The program gives the least number of tasks of a kind that GPUs run. If they are
/// triangles of tiles (`TileTriangles`), w of them on one GPU need (w / c)^(2/3) tiles there. This is concave in w, so
/// the total over the GPUs is least if as few GPUs as possible run as many as each can in the time.
///
/// The bound has no meaning for a makespan below `LowerBounds`, since there is no such schedule. It is zero if nothing
/// has to move.
[[nodiscard]] Bytes bytes_lower_bound(const BytesProblem& problem);

}  // namespace troupe::apps
