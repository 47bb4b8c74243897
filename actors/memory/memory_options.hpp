/// Options of the memory core: the machine's nodes and links, and choices of behaviour.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "actors/memory/eviction/reuse_profile.hpp"
#include "proto/memory.hpp"

namespace troupe::memory {

struct NodeDescription {
  /// If false, nothing is allocated on the node and nothing is evicted from it.
  bool limited = false;
  /// At most 1 TiB; rounded down to a multiple of 256 bytes.
  Bytes capacity;
  /// The largest size that one piece of data may have; zero stands for the node's capacity.
  Bytes largest_piece = {};
};

/// The cost of one copy: latency + bytes * seconds_per_byte. Costs are only compared with one another.
struct LinkCost {
  Duration latency{0};
  double seconds_per_byte = 0;
};

/// An observer of all accesses and copies on all nodes, for tools. The functions are called one at a time, by the
/// thread that manages memory at that moment.
class AccessObserver {
 public:
  virtual ~AccessObserver() = default;
  /// Called when a request was admitted and its memory is allocated; the data that it reads may still be on their way.
  /// Each handle occurs once in `uses`.
  virtual void admitted(NodeId node, std::span<const Use> uses) = 0;
  /// Called when a task on the node is about to write the handle: from now on only this node has valid content.
  virtual void written(NodeId node, HandleId handle, Bytes bytes) = 0;
  /// Called when a copy of the whole data has succeeded.
  virtual void moved(NodeId to, HandleId handle, Bytes bytes) = 0;
};

struct MemoryOptions {
  /// Node 0 is the host's memory, has no limit and holds all data at first.
  std::vector<NodeDescription> nodes;
  /// One cost for each pair of nodes, row by row: from node 0 to each, from node 1 to each, and so on. Data can be
  /// copied from every node to every other node.
  std::vector<LinkCost> costs;
  /// If true, data that no submitted task writes again (`Use::last_write`) are copied to the host when the request of
  /// the last writer is released. Then the program waits less for its result, and the data can be evicted without
  /// another copy. If the program does not need the data, the copy wastes bandwidth.
  bool write_back_finished = false;
  /// Null if there is no observer.
  std::shared_ptr<AccessObserver> access_observer = nullptr;
  std::shared_ptr<ReuseProfile> reuse_profile = nullptr;
};

}  // namespace troupe::memory
