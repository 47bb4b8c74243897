#include "actors/memory/eviction/ranked_eviction.hpp"

#include <cstddef>
#include <utility>

namespace troupe::memory {

void RankedEviction::mark(List& list, HandleId handle) {
  Replica& replica = list.replicas[handle];
  if (replica.stale != kNotStale) return;
  replica.stale = static_cast<std::uint32_t>(list.stale.size());
  list.stale.push_back(handle);
}

void RankedEviction::unmark(List& list, std::uint32_t place) {
  list.replicas[list.stale.back()].stale = place;
  list.stale[place] = list.stale.back();
  list.stale.pop_back();
}

void RankedEviction::inserted(NodeId node, HandleId handle) {
  if (lists_.size() <= node.index()) lists_.resize(node.index() + 1);
  lists_[node.index()].replicas.make(handle);
  holders_.make(handle).insert(node);
  touched(node, handle);
}

void RankedEviction::touched(NodeId node, HandleId handle) {
  List& list = lists_[node.index()];
  list.replicas[handle].used = ++uses_;
  mark(list, handle);
}

void RankedEviction::removed(NodeId node, HandleId handle) {
  List& list = lists_[node.index()];
  const Replica& replica = list.replicas[handle];
  if (replica.stale != kNotStale) unmark(list, replica.stale);
  if (replica.in_order) list.order.erase(replica.key);
  list.replicas.remove(handle);
  NodeSet& holders = holders_[handle];
  holders.erase(node);
  if (holders.empty()) holders_.remove(handle);
}

void RankedEviction::changed(HandleId handle) {
  const NodeSet* const holders = holders_.find(handle);
  if (holders == nullptr) return;
  holders->for_each([&](NodeId node) { mark(lists_[node.index()], handle); });
}

void RankedEviction::all_changed(NodeId node) {
  if (node.index() >= lists_.size()) return;
  List& list = lists_[node.index()];
  for (const Key& key : list.order) mark(list, key.handle);
}

void RankedEviction::refresh(NodeId node, List& list) {
  for (const HandleId handle : list.stale) {
    Replica& replica = list.replicas[handle];
    replica.stale = kNotStale;
    const Key key{rank(node, handle), replica.used, handle};
    if (replica.in_order) {
      if (key == replica.key) continue;
      auto moved = list.order.extract(replica.key);
      moved.value() = key;
      list.order.insert(std::move(moved));
    } else {
      list.order.insert(key);
    }
    replica.key = key;
    replica.in_order = true;
  }
  list.stale.clear();
}

HandleId RankedEviction::next_victim(NodeId node, const Candidate& candidate, std::size_t look_at) {
  if (lists_.size() <= node.index()) return {};
  List& list = lists_[node.index()];
  refresh(node, list);
  for (const Key& key : list.order) {
    if (look_at-- == 0) return {};
    if (candidate(key.handle)) return key.handle;
  }
  return {};
}

}  // namespace troupe::memory
