/// What furthest-next-use eviction would have moved, had it known the whole run.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "actors/memory/memory_options.hpp"
#include "proto/units.hpp"

namespace troupe::apps {

/// One run's accesses, in the order in which their requests were admitted, on all nodes: for tools that ask what
/// another eviction policy would have moved. To be read when the run is over. 32 bytes a use.
class AccessLog final : public memory::AccessObserver {
 public:
  struct Access {
    NodeId node;
    /// Each handle once.
    std::span<const memory::Use> uses;
  };

  void admitted(NodeId node, std::span<const memory::Use> uses) override;
  void written(NodeId node, HandleId handle, Bytes bytes) override;
  void moved(NodeId to, HandleId handle, Bytes bytes) override;

  [[nodiscard]] std::size_t size() const { return requests_.size(); }
  [[nodiscard]] Access operator[](std::size_t i) const;
  /// By all copies, prefetches too.
  [[nodiscard]] Bytes moved() const { return moved_; }
  /// What the program would have to fetch to have all its data in host memory: content that the host does not have.
  [[nodiscard]] Bytes not_on_host() const;

 private:
  struct Request {
    NodeId node;
    std::size_t uses_begin = 0;
  };

  std::vector<Request> requests_;
  std::vector<memory::Use> uses_;
  Bytes moved_;
  /// By handle: its bytes where the host does not have its content, else zero.
  std::vector<Bytes> not_on_host_;
};

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
[[nodiscard]] OfflineTraffic furthest_next_use_offline(const AccessLog& log,
                                                       std::span<const memory::NodeDescription> nodes);

}  // namespace troupe::apps
