/// What the scheduler knows of where data are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "proto/ids.hpp"
#include "proto/units.hpp"

namespace troupe::scheduler {

/// A mirror of the memory manager's directory, as far as its news have come: for each piece of data, the nodes that
/// hold it and those that it travels to. Data that nothing is known of are on node 0, the host. At most 64 nodes.
class ReplicaMap {
 public:
  static constexpr std::size_t kMostNodes = 64;

  explicit ReplicaMap(std::size_t nodes = 1) : nodes_(nodes) {}

  [[nodiscard]] std::size_t nodes() const { return nodes_; }
  [[nodiscard]] bool valid(HandleId handle, NodeId node) const {
    return (entry(handle).valid >> node.index() & 1U) != 0;
  }
  [[nodiscard]] bool incoming(HandleId handle, NodeId node) const {
    return (entry(handle).incoming >> node.index() & 1U) != 0;
  }
  /// A bit per node.
  [[nodiscard]] std::uint64_t valid_nodes(HandleId handle) const { return entry(handle).valid; }
  [[nodiscard]] std::uint64_t incoming_nodes(HandleId handle) const { return entry(handle).incoming; }

  void set(HandleId handle, NodeId node, bool valid, bool incoming) {
    if (handle.index() >= entries_.size()) entries_.resize(handle.index() + 1);
    const std::uint64_t bit = std::uint64_t{1} << node.index();
    Entry& entry = entries_[handle.index()];
    entry.valid = valid ? entry.valid | bit : entry.valid & ~bit;
    entry.incoming = incoming ? entry.incoming | bit : entry.incoming & ~bit;
  }

 private:
  struct Entry {
    std::uint64_t valid = 1;
    std::uint64_t incoming = 0;
  };
  [[nodiscard]] Entry entry(HandleId handle) const {
    return handle.index() < entries_.size() ? entries_[handle.index()] : Entry{};
  }

  std::size_t nodes_;
  std::vector<Entry> entries_;
};

}  // namespace troupe::scheduler
