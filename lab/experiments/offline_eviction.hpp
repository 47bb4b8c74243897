/// Computes the bytes that furthest-next-use eviction would have moved with knowledge of the whole run.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "actors/memory/memory_options.hpp"
#include "troupe/units.hpp"

namespace troupe::apps {

/// The accesses of one run on all nodes, in the order in which their requests were admitted, for tools that compute
/// what another eviction policy would have moved. Read it when the run is over. It takes 32 bytes for each use.
class AccessLog final : public memory::AccessObserver {
 public:
  struct Access {
    NodeId node;
    /// The uses; each handle once.
    std::span<const memory::Use> uses;
  };

  void admitted(NodeId node, std::span<const memory::Use> uses) override;
  void written(NodeId node, HandleId handle, Bytes bytes) override;
  void moved(NodeId to, HandleId handle, Bytes bytes) override;

  [[nodiscard]] std::size_t size() const { return requests_.size(); }
  [[nodiscard]] Access operator[](std::size_t i) const;
  /// Returns the bytes of all copies, including prefetches.
  [[nodiscard]] Bytes moved() const { return moved_; }
  /// Returns the bytes of content that the host does not have: the program would have to fetch them to have all its
  /// data in host memory.
  [[nodiscard]] Bytes not_on_host() const;

 private:
  struct Request {
    NodeId node;
    std::size_t uses_begin = 0;
  };

  std::vector<Request> requests_;
  std::vector<memory::Use> uses_;
  Bytes moved_;
  /// The bytes of each handle whose content the host does not have; zero for the others. Indexed by handle.
  std::vector<Bytes> not_on_host_;
};

struct OfflineTraffic {
  /// Copies to all nodes, including the host, because a task reads the data there.
  Bytes loaded;
  /// Copies to the host because the only replica is evicted.
  Bytes written_back;
  /// Copies to the host after the last access, so that the host has all content.
  Bytes brought_home;

  [[nodiscard]] Bytes total() const { return loaded + written_back + brought_home; }
};

/// Goes through the accesses of a run in their order and keeps the replicas that each node holds. If a node is full, it
/// evicts the replica that it uses next furthest in the future (L. A. Belady, 1966). A replica that it never uses
/// again, or not before another node overwrites it, goes first of all. Compare the result with `AccessLog::moved() +
/// AccessLog::not_on_host()` of the run.
///
/// All copies for accesses, to make room, and to the host at the end are counted. As in the run, a working set is held
/// as a whole, a writer outdates all other replicas, content that is overwritten is not loaded, and a replica is
/// evicted without a copy if other nodes have one. Some causes of copies in the run are not counted: other tasks'
/// data that are pinned at the same time, free memory in too small pieces, unused prefetches, early write-backs.
/// Furthest-next-use is optimal only for loads of equal size; with write-backs and several sizes it is a good
/// yardstick, not a bound.
///
/// `nodes` are the run's nodes. Each request must fit. The time is O(u log u) for u uses; the memory is a table of
/// handles * nodes.
[[nodiscard]] OfflineTraffic furthest_next_use_offline(const AccessLog& log,
                                                       std::span<const memory::NodeDescription> nodes);

}  // namespace troupe::apps
