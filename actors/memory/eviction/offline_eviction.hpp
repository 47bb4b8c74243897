/// What furthest-next-use eviction would have moved, had it known the whole run.
#pragma once

#include <span>

#include "actors/memory/eviction/access_log.hpp"
#include "actors/memory/memory_options.hpp"
#include "proto/units.hpp"

namespace troupe::memory {

struct OfflineTraffic {
  /// To all nodes, the host among them, because a task reads it there.
  Bytes loaded;
  /// To the host, because the only replica makes room.
  Bytes written_back;
  /// To the host after the last access, so that it has everything.
  Bytes brought_home;

  [[nodiscard]] Bytes total() const { return loaded + written_back + brought_home; }
};

/// Goes through the accesses of a run in their order and keeps the replicas that each node holds; where a node is full,
/// what it uses next furthest in the future goes (L. A. Belady, 1966), what it never uses again or not before another
/// node overwrites it first of all. To be compared with `AccessLog::moved() + AccessLog::not_on_host()` of the run.
///
/// Counted: all that is copied for accesses, to make room, and to the host in the end. As in the run, a working set is
/// held as a whole, a writer outdates all other replicas, what is overwritten is not loaded, and what other nodes have
/// too leaves without a copy. Not counted, and so in the run's disfavour: other tasks' data that are pinned at the same
/// time, memory that is free in pieces too small, prefetches that go unused, early write-backs. Furthest-next-use is
/// the best there is for loads of equal size only; with write-backs and several sizes it is a good yardstick, not a
/// bound.
///
/// `nodes`: as the run's. Each request must fit. O(u log u) for u uses, and a table of handles * nodes.
[[nodiscard]] OfflineTraffic furthest_next_use_offline(const AccessLog& log, std::span<const NodeDescription> nodes);

}  // namespace troupe::memory
