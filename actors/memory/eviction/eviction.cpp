#include "actors/memory/eviction/eviction.hpp"

namespace troupe::memory {

void LeastRecentlyUsed::append(List& list, HandleId handle) {
  list.links[handle] = {list.newest, HandleId{}};
  (list.newest.valid() ? list.links[list.newest].newer : list.oldest) = handle;
  list.newest = handle;
}

void LeastRecentlyUsed::unlink(List& list, HandleId handle) {
  const Link link = list.links[handle];
  (link.older.valid() ? list.links[link.older].newer : list.oldest) = link.newer;
  (link.newer.valid() ? list.links[link.newer].older : list.newest) = link.older;
}

void LeastRecentlyUsed::inserted(NodeId node, HandleId handle) {
  if (lists_.size() <= node.index()) lists_.resize(node.index() + 1);
  List& list = lists_[node.index()];
  list.links.make(handle);
  append(list, handle);
}

void LeastRecentlyUsed::touched(NodeId node, HandleId handle) {
  List& list = lists_[node.index()];
  if (list.newest == handle) return;
  unlink(list, handle);
  append(list, handle);
}

void LeastRecentlyUsed::removed(NodeId node, HandleId handle) {
  List& list = lists_[node.index()];
  unlink(list, handle);
  list.links.remove(handle);
}

HandleId LeastRecentlyUsed::next_victim(NodeId node, const Candidate& candidate, std::size_t look_at) {
  if (lists_.size() <= node.index()) return {};
  List& list = lists_[node.index()];
  for (HandleId handle = list.oldest; handle.valid() && look_at > 0; handle = list.links[handle].newer, --look_at) {
    if (candidate(handle)) return handle;
  }
  return {};
}

std::unique_ptr<EvictionPolicy> least_recently_used() { return std::make_unique<LeastRecentlyUsed>(); }

}  // namespace troupe::memory
