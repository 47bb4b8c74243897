/// Computes the bytes that furthest-next-use eviction would have moved if it had known the whole run.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "actors/memory/memory_options.hpp"
#include "troupe/units.hpp"

namespace troupe::apps {

/// Records the accesses of one run on all nodes, in the order in which their requests were admitted. Tools use the log
/// to compute the bytes that another eviction policy would have moved. Read it only after the run. It takes 32 bytes
/// per use.
class AccessLog final : public memory::AccessObserver {
 public:
  struct Access {
    NodeId node;
    /// The uses. Each handle occurs once.
    std::span<const memory::Use> uses;
  };

  void admitted(NodeId node, std::span<const memory::Use> uses) override;
  void written(NodeId node, HandleId handle, Bytes bytes) override;
  void moved(NodeId to, HandleId handle, Bytes bytes) override;

  [[nodiscard]] std::size_t size() const { return requests_.size(); }
  [[nodiscard]] Access operator[](std::size_t i) const;
  /// Returns the bytes of all copies, including prefetches.
  [[nodiscard]] Bytes moved() const { return moved_; }
  /// Returns the bytes of content that the host does not have. The program would have to copy them to have all its data
  /// in host memory.
  [[nodiscard]] Bytes not_on_host() const;

 private:
  struct Request {
    NodeId node;
    std::size_t uses_begin = 0;
  };

  std::vector<Request> requests_;
  std::vector<memory::Use> uses_;
  Bytes moved_;
  /// For each handle, the bytes of content that the host does not have; zero if it has the content. Indexed by handle.
  std::vector<Bytes> not_on_host_;
};

struct OfflineTraffic {
  /// Copies to all nodes, including the host, made because a task reads the data on that node.
  Bytes loaded;
  /// Copies to the host, made because the only replica is evicted.
  Bytes written_back;
  /// Copies to the host after the last access, made so that the host has all content.
  Bytes brought_home;

  [[nodiscard]] Bytes total() const { return loaded + written_back + brought_home; }
};

/// Replays the accesses of a run in their order, and tracks the replicas of each node. If a node is full, it evicts the
/// replica whose next use on this node is furthest in the future (L. A. Belady, 1966). The first candidates are
/// replicas that the node never uses again, or not before another node overwrites the data. Compare the result with
/// `AccessLog::moved() + AccessLog::not_on_host()` of the run.
///
/// The result counts all copies for accesses, all copies that make room, and the copies to the host at the end. As in
/// the run, all data of an access must be in memory at the same time, a write makes all other replicas invalid, content
/// that is overwritten is not loaded, and a replica is evicted without a copy if another node has one. Some causes of
/// copies in the run do not exist here: data that other tasks pin at the same time, fragmented free memory, unused
/// prefetches, and early write-backs. Furthest-next-use is optimal only for loads of equal size; with write-backs and
/// several sizes it is a good reference, not a bound.
///
/// `nodes` are the nodes of the run. The data of each request must fit into its node. Takes O(u log u) time for u uses,
/// and memory for a table of handles * nodes.
[[nodiscard]] OfflineTraffic furthest_next_use_offline(const AccessLog& log,
                                                       std::span<const memory::NodeDescription> nodes);

}  // namespace troupe::apps
