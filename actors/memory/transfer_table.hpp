/// Transfer table: the copies between nodes that are under way.
#pragma once

#include <cstdint>
#include <vector>

#include "actors/memory/memory_options.hpp"
#include "proto/memory.hpp"
#include "proto/node_set.hpp"

namespace troupe::memory {

struct Transfer {
  HandleId handle;
  NodeId from;
  NodeId to;
  Bytes bytes;
  Duration cost{0};
  /// The nodes from which this copy was tried before and failed.
  NodeSet tried;
  bool waited_for = false;
  /// If valid, only what this halo part has in common with the handle is copied, into the halo part's buffer.
  HandleId halo{};
};

/// The table of the transfers under way. It also keeps, for each node, the sum of the costs of the transfers from that
/// node. A transfer's place in the table is the low half of the transfer's id.
class TransferTable {
 public:
  using Place = std::uint32_t;

  TransferTable(std::size_t nodes, std::vector<LinkCost> costs);

  /// Adds the transfer, and sets its cost.
  TransferId add(Transfer transfer);
  /// Ends the transfer and returns it. The id must belong to a transfer under way.
  Transfer take(TransferId id);

  [[nodiscard]] static Place place(TransferId id) { return static_cast<Place>(id.value()); }
  [[nodiscard]] TransferId id(Place place) const;
  [[nodiscard]] bool is_under_way(Place place) const { return place < entries_.size() && entries_[place].under_way; }
  [[nodiscard]] Transfer& operator[](Place place) { return entries_[place].transfer; }
  [[nodiscard]] const Transfer& operator[](Place place) const { return entries_[place].transfer; }

  /// Calls `visit(transfer)` for each transfer under way, in no particular order.
  template <class Visit>
  void visit(Visit&& visit) const {
    for (const Entry& entry : entries_) {
      if (entry.under_way) visit(entry.transfer);
    }
  }

  /// Returns the expected time of a copy that begins now, after the copies that are under way from the same node.
  [[nodiscard]] Duration expected(NodeId from, NodeId to, Bytes bytes) const;

 private:
  struct Entry {
    Transfer transfer;
    /// The number of transfers that had this place before.
    std::uint32_t generation = 0;
    bool under_way = false;
  };

  [[nodiscard]] Duration alone(NodeId from, NodeId to, Bytes bytes) const;

  std::size_t nodes_;
  std::vector<LinkCost> costs_;
  std::vector<Duration> queued_;
  std::vector<Entry> entries_;
  std::vector<Place> unused_;
};

}  // namespace troupe::memory
