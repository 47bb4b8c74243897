#include "actors/memory/eviction/eviction.hpp"

namespace troupe::memory {

void LeastRecentlyUsed::append(List& list, std::uint32_t index) {
  list.links[index] = {list.newest, kNone};
  if (list.newest != kNone) {
    list.links[list.newest].newer = index;
  } else {
    list.oldest = index;
  }
  list.newest = index;
}

void LeastRecentlyUsed::unlink(List& list, std::uint32_t index) {
  const Link link = list.links[index];
  (link.older != kNone ? list.links[link.older].newer : list.oldest) = link.newer;
  (link.newer != kNone ? list.links[link.newer].older : list.newest) = link.older;
}

void LeastRecentlyUsed::inserted(NodeId node, HandleId handle) {
  if (lists_.size() <= node.index()) lists_.resize(node.index() + 1);
  List& list = lists_[node.index()];
  if (list.links.size() <= handle.index()) list.links.resize(handle.index() + 1);
  append(list, static_cast<std::uint32_t>(handle.index()));
}

void LeastRecentlyUsed::touched(NodeId node, HandleId handle) {
  List& list = lists_[node.index()];
  const auto index = static_cast<std::uint32_t>(handle.index());
  if (list.newest == index) return;
  unlink(list, index);
  append(list, index);
}

void LeastRecentlyUsed::removed(NodeId node, HandleId handle) {
  unlink(lists_[node.index()], static_cast<std::uint32_t>(handle.index()));
}

HandleId LeastRecentlyUsed::next_victim(NodeId node, const Candidate& candidate, std::size_t look_at) {
  if (lists_.size() <= node.index()) return {};
  const List& list = lists_[node.index()];
  for (std::uint32_t index = list.oldest; index != kNone && look_at > 0; index = list.links[index].newer, --look_at) {
    if (candidate(HandleId(index))) return HandleId(index);
  }
  return {};
}

std::unique_ptr<EvictionPolicy> least_recently_used() { return std::make_unique<LeastRecentlyUsed>(); }

}  // namespace troupe::memory
