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
  /// The time at which the copy itself started: it had been requested, and the previous copy of the track had ended.
  TimeStamp start{};
  TimeStamp end{};
};

/// The copies from one memory node to another, one at a time, ordered by start.
struct CopyTrack {
  NodeId from;
  NodeId to;
  std::vector<TrackedCopy> copies;

  /// Returns a name such as "copies host to GPU 0". `nodes` are the names by number; a node without a name is called
  /// "node 3".
  [[nodiscard]] std::string name(const std::vector<std::string>& nodes) const;
};

/// Returns the tracks, ordered by `from`, then `to`.
[[nodiscard]] std::vector<CopyTrack> copy_tracks(const Trace& trace);

}  // namespace troupe::traces
