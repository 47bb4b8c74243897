/// The count of the nodes of a very unbalanced tree, which is only known while it is searched. Such trees are from
/// Olivier and others, "UTS: an unbalanced tree search benchmark", LCPC 2006.
#pragma once

#include <cstdint>

#include "lab/bench/recursion/recursion_case.hpp"

namespace troupe::bench {

/// A node is a random number, which determines whether and which nodes are below it: none, or `kBelow`. The expected
/// number below is a little less than one, so that most parts of the tree are tiny and a few are huge.
struct TreeNode {
  static constexpr int kBelow = 8;

  std::uint64_t random = 0;

  [[nodiscard]] bool has_below() const;
  /// Returns a node below: the one with this number.
  [[nodiscard]] TreeNode below(std::int64_t number) const;
};

/// Counts a node and all below.
[[nodiscard]] std::int64_t count_without_tasks(TreeNode node);

/// Counts the nodes of a tree whose root has `n` nodes below. In the first `cutoff` levels, every node that has nodes
/// below is counted by a task.
class Tree {
 public:
  static constexpr std::int64_t kMostLevels = 500;

  explicit Tree(const RecursionCase& options);

  void prepare() { result_ = 0; }
  template <class Tasks>
  void run(Tasks& tasks) {
    result_ = count_part(tasks, 0, n_);
  }
  void check() const { require_right(result_ == expected_, Recursion::tree); }
  [[nodiscard]] std::uint64_t checksum() const { return static_cast<std::uint64_t>(result_); }

 private:
  /// Counts the nodes `first` to `last` below the root, and all below these.
  template <class Tasks>
  std::int64_t count_part(Tasks& tasks, std::int64_t first, std::int64_t last) const {
    if (last - first == 1) return count(tasks, TreeNode{}.below(first), 1);
    const std::int64_t middle = first + (last - first) / 2;
    typename Tasks::template Sum<1> sum(tasks);
    sum.add([this, &tasks, first, middle] { return count_part(tasks, first, middle); });
    const std::int64_t rest = count_part(tasks, middle, last);
    return sum.wait() + rest;
  }
  template <class Tasks>
  std::int64_t count(Tasks& tasks, TreeNode node, std::int64_t depth) const {
    if (!node.has_below()) return 1;
    if (depth >= cutoff_) return count_without_tasks(node);
    typename Tasks::template Sum<TreeNode::kBelow> sum(tasks);
    std::int64_t others = 1;
    for (int number = 0; number < TreeNode::kBelow; ++number) {
      const TreeNode next = node.below(number);
      if (next.has_below()) {
        sum.add([this, &tasks, next, depth] { return count(tasks, next, depth + 1); });
      } else {
        ++others;
      }
    }
    return sum.wait() + others;
  }

  std::int64_t n_ = 0;
  std::int64_t cutoff_ = 0;
  std::int64_t expected_ = 0;
  std::int64_t result_ = 0;
};

}  // namespace troupe::bench
