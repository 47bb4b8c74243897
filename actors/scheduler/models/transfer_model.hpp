/// Predictions of the times of copies between memory nodes.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "troupe/ids.hpp"
#include "troupe/units.hpp"

namespace troupe::scheduler {

/// The time of a single copy, by pair of nodes and direction: latency + bytes / bandwidth.
class TransferModel {
 public:
  struct Pair {
    Duration latency{};
    double ns_per_byte = 0;
  };

  /// Makes the model of a machine with host memory only.
  TransferModel() : TransferModel(1, {Pair{}}) {}
  /// `pairs` is a matrix of nodes x nodes, by rows: copies come from the row's node and go to the column's.
  TransferModel(std::size_t nodes, std::vector<Pair> pairs) : nodes_(nodes), pairs_(std::move(pairs)) {}

  [[nodiscard]] std::size_t nodes() const { return nodes_; }
  [[nodiscard]] const Pair& pair(NodeId from, NodeId to) const { return pairs_[from.index() * nodes_ + to.index()]; }
  /// Returns the time of one copy on an idle link. The time for each byte is multiplied by `weight`.
  [[nodiscard]] Duration copy_time(NodeId from, NodeId to, Bytes bytes, double weight = 1) const {
    const Pair& link = pair(from, to);
    return link.latency + Duration(std::llround(weight * link.ns_per_byte * static_cast<double>(bytes.count)));
  }

 private:
  std::size_t nodes_;
  std::vector<Pair> pairs_;
};

}  // namespace troupe::scheduler
