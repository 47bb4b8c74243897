#include "actors/memory/eviction/eviction.hpp"

namespace troupe::memory {

void LeastRecentlyUsed::append(List& list, std::uint32_t index) {
  link_of(list, index) = {list.newest, kNone};
  if (list.newest != kNone) {
    link_of(list, list.newest).newer = index;
  } else {
    list.oldest = index;
  }
  list.newest = index;
}

void LeastRecentlyUsed::unlink(List& list, std::uint32_t index) {
  const Link link = link_of(list, index);
  (link.older != kNone ? link_of(list, link.older).newer : list.oldest) = link.newer;
  (link.newer != kNone ? link_of(list, link.newer).older : list.newest) = link.older;
}

void LeastRecentlyUsed::inserted(NodeId node, HandleId handle) {
  if (lists_.size() <= node.index()) lists_.resize(node.index() + 1);
  List& list = lists_[node.index()];
  list.links.make(handle);
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
  List& list = lists_[node.index()];
  unlink(list, static_cast<std::uint32_t>(handle.index()));
  list.links.remove(handle);
}

HandleId LeastRecentlyUsed::next_victim(NodeId node, const Candidate& candidate, std::size_t look_at) {
  if (lists_.size() <= node.index()) return {};
  List& list = lists_[node.index()];
  for (std::uint32_t index = list.oldest; index != kNone && look_at > 0;
       index = link_of(list, index).newer, --look_at) {
    if (candidate(HandleId(index))) return HandleId(index);
  }
  return {};
}

std::unique_ptr<EvictionPolicy> least_recently_used() { return std::make_unique<LeastRecentlyUsed>(); }

}  // namespace troupe::memory
