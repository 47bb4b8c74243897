/// What the memory core has to know of the machine, and how it is to behave.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "actors/memory/eviction/reuse_profile.hpp"
#include "proto/memory.hpp"

namespace troupe::memory {

struct NodeDescription {
  /// Without a limit nothing is allocated on the node and nothing evicted from it.
  bool limited = false;
  /// At most 1 TiB; rounded down to a multiple of 256 bytes.
  Bytes capacity;
  /// The most that one piece of data may have; zero: as much as the node.
  Bytes largest_piece = {};
};

/// What one copy costs: latency + bytes * seconds_per_byte. Only compared with one another.
struct LinkCost {
  Duration latency{0};
  double seconds_per_byte = 0;
};

/// Hears of all accesses and copies on all nodes, one after the other, in whichever thread manages memory: for tools.
class AccessObserver {
 public:
  virtual ~AccessObserver() = default;
  /// A request has its turn and its memory; what it reads may still be on its way. Each handle once.
  virtual void admitted(NodeId node, std::span<const Use> uses) = 0;
  /// From now on the node alone has the handle's content.
  virtual void written(NodeId node, HandleId handle, Bytes bytes) = 0;
  /// A copy has ended well.
  virtual void moved(NodeId to, HandleId handle, Bytes bytes) = 0;
};

struct MemoryOptions {
  /// Node 0 is the host's memory, has no limit and holds all data at first.
  std::vector<NodeDescription> nodes;
  /// One for each pair of nodes, row by row: from node 0 to each, from node 1 to each, … Every node can be copied to
  /// from every other one.
  std::vector<LinkCost> costs;
  /// Data that no submitted task writes again (`Use::last_write`) are copied to the host when their writer is released:
  /// the program waits less for its result, and evicting it is free. Costs bandwidth if nobody asks for it.
  bool write_back_finished = false;
  /// Null: nobody is interested.
  std::shared_ptr<AccessObserver> access_observer = nullptr;
  std::shared_ptr<ReuseProfile> reuse_profile = nullptr;
};

}  // namespace troupe::memory
