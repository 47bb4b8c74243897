#include "opencl/analysis/code/code_flow.hpp"

#include <algorithm>
#include <map>
#include <string_view>

namespace troupe::opencl {

CodeFlow::CodeFlow(const CodeFunction& function) {
  const std::size_t count = function.blocks.size();
  successors_.resize(count);
  predecessors_.resize(count);
  returns_.resize(count);
  dominators_.resize(count);
  std::map<std::string_view, std::size_t> by_label;
  for (std::size_t i = 0; i < count; ++i) by_label[function.blocks[i].label] = i;
  for (std::size_t i = 0; i < count; ++i) {
    if (function.blocks[i].instructions.empty()) throw CodeNotUnderstood("an empty block");
    const CodeInstruction& last = function.blocks[i].instructions.back();
    const bool branches = last.operation == "br" || last.operation == "switch";
    returns_[i] = last.operation == "ret";
    if (!branches && !returns_[i] && last.operation != "unreachable") throw CodeNotUnderstood("an unknown branch");
    if (!branches) continue;
    for (const std::string_view label : last.labels) {
      const auto target = by_label.find(label);
      if (target == by_label.end() || target->second == 0) throw CodeNotUnderstood("a branch to nowhere");
      successors_[i].push_back(target->second);
      predecessors_[target->second].push_back(i);
    }
  }
  find_dominators();
}

std::vector<std::size_t> CodeFlow::reverse_post_order() const {
  std::vector<std::size_t> order;
  std::vector<std::size_t> next(successors_.size());
  std::vector<bool> seen(successors_.size());
  std::vector<std::size_t> path{0};
  seen[0] = true;
  while (!path.empty()) {
    const std::size_t block = path.back();
    if (next[block] == successors_[block].size()) {
      order.push_back(block);
      path.pop_back();
      continue;
    }
    const std::size_t successor = successors_[block][next[block]++];
    if (!seen[successor]) path.push_back(successor);
    seen[successor] = true;
  }
  std::ranges::reverse(order);
  return order;
}

/// Computes the dominators with the algorithm of Cooper, Harvey, Kennedy: A Simple, Fast Dominance Algorithm.
void CodeFlow::find_dominators() {
  const auto order = reverse_post_order();
  std::vector<std::size_t> place(successors_.size());
  for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = i;
  dominators_[0] = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (const std::size_t block : order) {
      if (block == 0) continue;
      std::optional<std::size_t> common;
      for (std::size_t from : predecessors_[block]) {
        if (!dominators_[from]) continue;
        if (!common) common = from;
        while (from != *common) {
          std::size_t& later = place[from] > place[*common] ? from : *common;
          later = *dominators_[later];
        }
      }
      changed |= dominators_[block] != common;
      dominators_[block] = common;
    }
  }
}

bool CodeFlow::dominates(std::size_t first, std::size_t second) const {
  while (second != first && second != 0) second = *dominators_[second];
  return second == first;
}

std::vector<CodeFlow::Decision> CodeFlow::decisions_before(std::size_t block) const {
  std::vector<Decision> decisions;
  for (std::size_t at = block; at != 0;) {
    at = *dominators_[at];
    const auto& ways = successors_[at];
    if (ways.size() != 2 || ways[0] == ways[1]) continue;
    for (const std::size_t way : {0U, 1U}) {
      if (predecessors_[ways[way]].size() == 1 && dominates(ways[way], block)) {
        decisions.push_back({at, way == 0, {at, ways[1 - way]}});
      }
    }
  }
  return decisions;
}

bool CodeFlow::is_unavoidable(std::size_t block, const std::set<Edge>& closed) const {
  if (block == 0) return true;
  std::vector<bool> seen(successors_.size());
  std::vector<std::size_t> open{0};
  seen[0] = seen[block] = true;
  while (!open.empty()) {
    const std::size_t at = open.back();
    open.pop_back();
    if (returns_[at]) return false;
    for (const std::size_t to : successors_[at]) {
      if (seen[to] || closed.contains({at, to})) continue;
      seen[to] = true;
      open.push_back(to);
    }
  }
  return true;
}

}  // namespace troupe::opencl
