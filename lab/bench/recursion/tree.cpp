#include "lab/bench/recursion/tree.hpp"

#include <limits>
#include <vector>

namespace troupe::bench {
namespace {

/// The fraction of the nodes that have nodes below.
constexpr double kFractionWithBelow = 0.99 / TreeNode::kBelow;
/// The work for a node: so many rounds of a generator of random numbers.
constexpr int kRounds = 40;

}  // namespace

bool TreeNode::has_below() const {
  constexpr auto kLargest = static_cast<double>(std::numeric_limits<std::uint64_t>::max());
  return static_cast<double>(random) < kFractionWithBelow * kLargest;
}

TreeNode TreeNode::below(std::int64_t number) const {
  // These are rounds of MurmurHash3's last step, each with another constant added.
  std::uint64_t value = random + static_cast<std::uint64_t>(number + 1) * 0xd1342543de82ef95;
  for (int round = 0; round < kRounds; ++round) {
    value += 0x9e3779b97f4a7c15;
    value = (value ^ (value >> 33U)) * 0xff51afd7ed558ccd;
    value = (value ^ (value >> 33U)) * 0xc4ceb9fe1a85ec53;
    value ^= value >> 33U;
  }
  return {value};
}

std::int64_t count_without_tasks(TreeNode node) {
  // A tree may be thousands of levels deep, so this is no recursion.
  std::vector<TreeNode> open{node};
  std::int64_t count = 0;
  while (!open.empty()) {
    const TreeNode next = open.back();
    open.pop_back();
    ++count;
    if (!next.has_below()) continue;
    for (int number = 0; number < TreeNode::kBelow; ++number) open.push_back(next.below(number));
  }
  return count;
}

Tree::Tree(const RecursionCase& options) : n_(options.n), cutoff_(options.cutoff) {
  if (cutoff_ > kMostLevels) throw BadParameter("cutoff: at most 500 levels have tasks");
  for (std::int64_t number = 0; number < n_; ++number) expected_ += count_without_tasks(TreeNode{}.below(number));
}

}  // namespace troupe::bench
