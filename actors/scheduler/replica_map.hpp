/// What the scheduler knows of where data are.
#pragma once

#include <cstddef>
#include <vector>

#include "proto/ids.hpp"
#include "proto/node_set.hpp"
#include "proto/units.hpp"

namespace troupe::scheduler {

/// A mirror of the memory manager's directory, as far as its news have come: for each piece of data, the nodes that
/// hold it and those that it travels to. Data that nothing is known of are on node 0, the host.
class ReplicaMap {
 public:
  explicit ReplicaMap(std::size_t nodes = 1) : nodes_(nodes) {}

  [[nodiscard]] std::size_t nodes() const { return nodes_; }
  [[nodiscard]] bool valid(HandleId handle, NodeId node) const { return entry(handle).valid.contains(node); }
  [[nodiscard]] bool incoming(HandleId handle, NodeId node) const { return entry(handle).incoming.contains(node); }
  /// Until the map changes.
  [[nodiscard]] const NodeSet& valid_nodes(HandleId handle) const { return entry(handle).valid; }

  void set(HandleId handle, NodeId node, bool valid, bool incoming) {
    if (handle.index() >= entries_.size()) entries_.resize(handle.index() + 1);
    entries_[handle.index()].valid.set(node, valid);
    entries_[handle.index()].incoming.set(node, incoming);
  }

 private:
  struct Entry {
    NodeSet valid{NodeId(0)};
    NodeSet incoming;
  };
  [[nodiscard]] const Entry& entry(HandleId handle) const {
    static const Entry on_host;
    return handle.index() < entries_.size() ? entries_[handle.index()] : on_host;
  }

  std::size_t nodes_;
  std::vector<Entry> entries_;
};

}  // namespace troupe::scheduler
