/// Predictions of the times of copies between memory nodes.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "troupe/ids.hpp"
#include "troupe/units.hpp"

namespace troupe::scheduler {

/// Latency + bytes / bandwidth, per pair of nodes and direction: what one copy alone takes.
class TransferModel {
 public:
  struct Pair {
    Duration latency{};
    double ns_per_byte = 0;
  };

  /// A machine with host memory alone.
  TransferModel() : TransferModel(1, {Pair{}}) {}
  /// `pairs`: nodes x nodes, row from, column to.
  TransferModel(std::size_t nodes, std::vector<Pair> pairs) : nodes_(nodes), pairs_(std::move(pairs)) {}

  [[nodiscard]] std::size_t nodes() const { return nodes_; }
  [[nodiscard]] const Pair& pair(NodeId from, NodeId to) const { return pairs_[from.index() * nodes_ + to.index()]; }
  /// `weight`: each byte takes as many times as long.
  [[nodiscard]] Duration copy_time(NodeId from, NodeId to, Bytes bytes, double weight = 1) const {
    const Pair& link = pair(from, to);
    return link.latency + Duration(std::llround(weight * link.ns_per_byte * static_cast<double>(bytes.count)));
  }

 private:
  std::size_t nodes_;
  std::vector<Pair> pairs_;
};

}  // namespace troupe::scheduler
