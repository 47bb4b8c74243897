/// The copies of data between memory nodes in a trace, arranged as rows for a trace viewer.
#pragma once

#include <string>
#include <vector>

#include "troupe/trace.hpp"

namespace troupe::traces {

struct TrackedCopy {
  HandleId handle;
  Bytes bytes;
  TimeStamp asked{};
  /// The time at which the copy itself started: the time of its request, or the end of the track's previous copy if
  /// this is later.
  TimeStamp start{};
  TimeStamp end{};
};

/// The copies from one memory node to another. They do not overlap in time, and are ordered by start.
struct CopyTrack {
  NodeId from;
  NodeId to;
  std::vector<TrackedCopy> copies;

  /// Returns a name such as "copies host to GPU 0". `nodes` are the names of the nodes by number; a node without a name
  /// is called by its number, such as "node 3".
  [[nodiscard]] std::string name(const std::vector<std::string>& nodes) const;
};

/// Returns the tracks, ordered by `from`, then `to`.
[[nodiscard]] std::vector<CopyTrack> copy_tracks(const Trace& trace);

}  // namespace troupe::traces
