/// How few bytes any schedule can move: a lower bound, given how long it may take.
#pragma once

#include <cstdint>
#include <vector>

#include "apps/bounds/worker_type.hpp"
#include "proto/units.hpp"

namespace troupe::apps {

struct BytesTile {
  Bytes bytes;
  /// Its place in the matrix; negative for data that are no tile of the matrix (the factors T of QR, say).
  int row = -1;
  int column = -1;
};

struct BytesTask {
  std::uint32_t kind = 0;
  /// The tiles whose content it needs, the one that it updates first; each once.
  std::vector<std::uint32_t> reads;
  /// Those that it writes without needing what they held.
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

/// What every schedule that takes at most `makespan_s` copies from one memory to another. Meant for the makespan of the
/// run that it is compared with: the same run with more time might do everything in host memory, and move nothing.
///
/// Sound, and weak: it counts how often data must reach GPUs, not what goes back or goes again because it has changed
/// there, has been evicted or stands in line. Expect real schedules to move a few times as much. It is the larger of
/// two bounds. Both rest on this: a tile that tasks on a GPU read, and that no task overwrites unread, came to that
/// GPU's memory by at least one copy, since it started elsewhere and whoever could make it there would have to read it
/// there first. And both know how much has to run on GPUs from the area bound's linear program (`LowerBounds`): the
/// cores can do so much in the time, and no more.
///
/// *Tiles that reach any GPU.* Each task is counted with the first of its tiles alone. A tile is kept from all GPUs
/// only if all its tasks run on cores; the program minimises the bytes of the others, where a part of a tile stands for
/// that part of its tasks.
///
/// *Tiles that each GPU needs.* The program gives the least number of tasks of a kind that GPUs run. Where they are
/// triangles of tiles (`TileTriangles`), w of them on one GPU need (w / c)^(2/3) tiles there. This is concave in w, so
/// the total over the GPUs is least where as few GPUs as possible run as many as each can in the time.
///
/// No meaning for a makespan that is below `LowerBounds`: there is no such schedule. Zero where nothing has to go.
[[nodiscard]] Bytes bytes_lower_bound(const BytesProblem& problem);

}  // namespace troupe::apps
