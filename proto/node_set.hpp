/// A set of memory nodes, for any number of nodes.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "troupe/ids.hpp"

namespace troupe {

/// The set has a bit per node: one word for the first 64 nodes, which is enough for most machines, and further words
/// once a node beyond these is added. A set can be moved, but not copied.
class NodeSet {
 public:
  NodeSet() = default;
  explicit NodeSet(NodeId node) { insert(node); }

  [[nodiscard]] bool contains(NodeId node) const { return (word(node.index() / kBits) & bit(node)) != 0; }
  void insert(NodeId node) {
    const std::size_t at = node.index() / kBits;
    if (at == 0) {
      first_ |= bit(node);
      return;
    }
    if (!more_) more_ = std::make_unique<std::vector<std::uint64_t>>();
    if (more_->size() < at) more_->resize(at);
    (*more_)[at - 1] |= bit(node);
  }
  void erase(NodeId node) noexcept {
    if (!contains(node)) return;
    std::uint64_t& bits = node.index() < kBits ? first_ : (*more_)[node.index() / kBits - 1];
    bits &= ~bit(node);
  }
  void set(NodeId node, bool in) { in ? insert(node) : erase(node); }

  [[nodiscard]] bool empty() const { return first_ == 0 && !beyond(); }
  /// Returns true if the set has this node and no other. The node must be one of the first 64.
  [[nodiscard]] bool is_only(NodeId node) const { return first_ == bit(node) && !beyond(); }

  /// Calls `visit(node)` for each node, the lowest number first.
  template <class Visit>
  void for_each(Visit&& visit) const {
    const std::size_t words = more_ ? more_->size() + 1 : 1;
    for (std::size_t i = 0; i < words; ++i) {
      for (std::uint64_t left = word(i); left != 0; left &= left - 1) {
        visit(NodeId(static_cast<std::uint32_t>(i * kBits + static_cast<std::size_t>(std::countr_zero(left)))));
      }
    }
  }

 private:
  static constexpr std::size_t kBits = 64;

  [[nodiscard]] bool beyond() const {
    return more_ && std::ranges::any_of(*more_, [](std::uint64_t word) { return word != 0; });
  }
  static std::uint64_t bit(NodeId node) { return std::uint64_t{1} << (node.index() % kBits); }
  [[nodiscard]] std::uint64_t word(std::size_t at) const {
    if (at == 0) return first_;
    return more_ && at <= more_->size() ? (*more_)[at - 1] : 0;
  }

  std::uint64_t first_ = 0;
  std::unique_ptr<std::vector<std::uint64_t>> more_;
};

}  // namespace troupe
