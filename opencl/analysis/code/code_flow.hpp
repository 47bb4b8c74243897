/// The control flow between a function's blocks.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "opencl/analysis/code/code_module.hpp"

namespace troupe::opencl {

/// The control flow of a function. Blocks are named by their index; 0 is the first. Throws CodeNotUnderstood if a block
/// ends in an unknown way.
class CodeFlow {
 public:
  using Edge = std::pair<std::size_t, std::size_t>;

  /// A conditional branch before a given block. Every path to the block leaves this branch by the same edge.
  struct Decision {
    std::size_t block = 0;
    bool truth = false;
    /// The edge that no path to the block takes.
    Edge other;
  };

  explicit CodeFlow(const CodeFunction& function);

  [[nodiscard]] bool is_reachable(std::size_t block) const { return dominators_[block].has_value(); }
  /// Returns the decisions that lie on every path to the block, the nearest decision first.
  [[nodiscard]] std::vector<Decision> decisions_before(std::size_t block) const;
  /// Returns true if every path through the function that avoids the `closed` edges passes the block.
  [[nodiscard]] bool is_unavoidable(std::size_t block, const std::set<Edge>& closed) const;

 private:
  void find_dominators();
  [[nodiscard]] std::vector<std::size_t> reverse_post_order() const;
  [[nodiscard]] bool dominates(std::size_t first, std::size_t second) const;

  std::vector<std::vector<std::size_t>> successors_;
  std::vector<std::vector<std::size_t>> predecessors_;
  std::vector<bool> returns_;
  /// The immediate dominator of each block: the last other block that lies on all paths to it. The first block is its
  /// own dominator; a block that cannot be reached has none.
  std::vector<std::optional<std::size_t>> dominators_;
};

}  // namespace troupe::opencl
