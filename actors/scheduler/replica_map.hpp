/// The scheduler's knowledge of where data are.
#pragma once

#include <cstddef>

#include "proto/handle_table.hpp"
#include "proto/node_set.hpp"
#include "troupe/ids.hpp"
#include "troupe/units.hpp"

namespace troupe::scheduler {

/// A copy of the memory manager's directory, as of the last events received: for each piece of data, the nodes that
/// hold it and the nodes that it is being copied to. Data without an entry are on node 0, the host.
class ReplicaMap {
 public:
  explicit ReplicaMap(std::size_t nodes = 1) : nodes_(nodes) {}

  [[nodiscard]] std::size_t nodes() const { return nodes_; }
  [[nodiscard]] bool valid(HandleId handle, NodeId node) const { return entry(handle).valid.contains(node); }
  [[nodiscard]] bool incoming(HandleId handle, NodeId node) const { return entry(handle).incoming.contains(node); }
  /// Returns the nodes that hold the data. The reference is valid until the map changes.
  [[nodiscard]] const NodeSet& valid_nodes(HandleId handle) const { return entry(handle).valid; }

  void set(HandleId handle, NodeId node, bool valid, bool incoming) {
    Entry& entry = entries_.make(handle);
    entry.valid.set(node, valid);
    entry.incoming.set(node, incoming);
    // Data that only host memory holds need no entry. This is true for most data, and for all released data.
    if (entry.incoming.empty() && entry.valid.is_only(NodeId(0))) entries_.remove(handle);
  }

 private:
  struct Entry {
    NodeSet valid{NodeId(0)};
    NodeSet incoming;
  };
  [[nodiscard]] const Entry& entry(HandleId handle) const {
    static const Entry on_host;
    const Entry* const known = entries_.find(handle);
    return known != nullptr ? *known : on_host;
  }

  std::size_t nodes_;
  HandleTable<Entry> entries_;
};

}  // namespace troupe::scheduler
