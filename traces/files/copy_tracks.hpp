/// The copies of a trace, as rows of a viewer.
#pragma once

#include <string>
#include <vector>

#include "actors/reporting/trace.hpp"

namespace troupe::traces {

struct TrackedCopy {
  HandleId handle;
  Bytes bytes;
  TimeStamp asked{};
  /// When nothing else was under way from this memory to that one any more, and it was asked for.
  TimeStamp start{};
  TimeStamp end{};
};

/// From one memory node to another: one copy at a time, by start.
struct CopyTrack {
  NodeId from;
  NodeId to;
  std::vector<TrackedCopy> copies;

  /// "copies host to GPU 0"; `nodes`: names by number. Nodes that it does not name are "node 3".
  [[nodiscard]] std::string name(const std::vector<std::string>& nodes) const;
};

/// By `from`, then `to`.
[[nodiscard]] std::vector<CopyTrack> copy_tracks(const Trace& trace);

}  // namespace troupe::traces
