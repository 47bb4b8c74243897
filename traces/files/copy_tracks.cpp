#include "traces/files/copy_tracks.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace troupe::traces {

std::string CopyTrack::name(const std::vector<std::string>& nodes) const {
  const auto node = [&nodes](NodeId id) {
    return id.index() < nodes.size() ? nodes[id.index()] : "node " + std::to_string(id.value());
  };
  return "copies " + node(from) + " to " + node(to);
}

std::vector<CopyTrack> copy_tracks(const Trace& trace) {
  std::map<std::pair<std::size_t, std::size_t>, CopyTrack> tracks;
  // The transfers are ordered by their ends. The copies of one track follow one another: each copy starts when it is
  // requested or when the previous copy ends, whichever is later.
  for (const TraceTransfer& transfer : trace.transfers) {
    CopyTrack& track = tracks[{transfer.from.index(), transfer.to.index()}];
    track.from = transfer.from;
    track.to = transfer.to;
    const TimeStamp free = track.copies.empty() ? transfer.start : track.copies.back().end;
    const TimeStamp start = std::max(transfer.start, free);
    track.copies.push_back({transfer.handle, transfer.bytes, transfer.start, start, transfer.end});
  }
  std::vector<CopyTrack> result;
  for (auto& [nodes, track] : tracks) result.push_back(std::move(track));
  return result;
}

}  // namespace troupe::traces
