/// Eviction by rank: each replica has a number, and the replica with the lowest number is evicted first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <tuple>
#include <vector>

#include "actors/memory/eviction/eviction.hpp"
#include "proto/handle_table.hpp"
#include "proto/node_set.hpp"

namespace troupe::memory {

/// Evicts the replica with the lowest rank; among equals the replica whose last use is longest ago. Ranks are computed
/// again only when a victim is needed, and only ranks that may have changed. So a node that is never full costs almost
/// nothing. `next_victim` is O(c log n) if c of the node's n replicas have changed since the last call.
class RankedEviction : public EvictionPolicy {
 public:
  void inserted(NodeId node, HandleId handle) override;
  void touched(NodeId node, HandleId handle) override;
  void removed(NodeId node, HandleId handle) override;
  [[nodiscard]] HandleId next_victim(NodeId node, const Candidate& candidate, std::size_t look_at) override;

 protected:
  /// Returns the replica's rank; replicas with low ranks are evicted first.
  [[nodiscard]] virtual std::uint64_t rank(NodeId node, HandleId handle) const = 0;
  /// Notes that the handle's rank may have changed on any node.
  void changed(HandleId handle);
  /// Notes that all ranks on the node may have changed.
  void all_changed(NodeId node);

 private:
  struct Key {
    std::uint64_t rank = 0;
    /// The number of the replica's last use. Uses are numbered in the order in which they happen.
    std::uint64_t used = 0;
    HandleId handle;
    friend bool operator<(const Key& a, const Key& b) {
      return std::tie(a.rank, a.used, a.handle) < std::tie(b.rank, b.used, b.handle);
    }
    friend bool operator==(const Key& a, const Key& b) = default;
  };
  static constexpr std::uint32_t kNotStale = 0xffffffff;
  struct Replica {
    std::uint64_t used = 0;
    /// The replica's key in `order`; valid only if `in_order` is true.
    Key key;
    bool in_order = false;
    /// The replica's index in `List::stale`, the list of replicas whose ranks may have changed, or `kNotStale`.
    std::uint32_t stale = kNotStale;
  };
  struct List {
    /// The replicas on this node.
    HandleTable<Replica> replicas;
    std::vector<HandleId> stale;
    std::set<Key> order;
  };

  static void mark(List& list, HandleId handle);
  static void unmark(List& list, std::uint32_t place);
  void refresh(NodeId node, List& list);

  std::vector<List> lists_;
  /// Maps each handle to the nodes that hold the handle.
  HandleTable<NodeSet> holders_;
  std::uint64_t uses_ = 0;
};

}  // namespace troupe::memory
