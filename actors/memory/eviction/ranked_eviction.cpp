#include "actors/memory/eviction/ranked_eviction.hpp"

#include <cstddef>
#include <utility>

namespace troupe::memory {

void RankedEviction::mark(List& list, std::uint32_t index) {
  if (list.replicas[index].stale) return;
  list.replicas[index].stale = true;
  list.stale.push_back(index);
}

void RankedEviction::inserted(NodeId node, HandleId handle) {
  if (lists_.size() <= node.index()) lists_.resize(node.index() + 1);
  List& list = lists_[node.index()];
  if (list.replicas.size() <= handle.index()) list.replicas.resize(handle.index() + 1);
  list.replicas[handle.index()].here = true;
  if (holders_.size() <= handle.index()) holders_.resize(handle.index() + 1);
  holders_[handle.index()].insert(node);
  touched(node, handle);
}

void RankedEviction::touched(NodeId node, HandleId handle) {
  List& list = lists_[node.index()];
  list.replicas[handle.index()].used = ++uses_;
  mark(list, static_cast<std::uint32_t>(handle.index()));
}

void RankedEviction::removed(NodeId node, HandleId handle) {
  List& list = lists_[node.index()];
  Replica& replica = list.replicas[handle.index()];
  replica.here = false;
  holders_[handle.index()].erase(node);
  if (replica.in_order) list.order.erase(replica.key);
  replica.in_order = false;
}

void RankedEviction::changed(HandleId handle) {
  if (handle.index() >= holders_.size()) return;
  holders_[handle.index()].for_each(
      [&](NodeId node) { mark(lists_[node.index()], static_cast<std::uint32_t>(handle.index())); });
}

void RankedEviction::all_changed(NodeId node) {
  if (node.index() >= lists_.size()) return;
  List& list = lists_[node.index()];
  for (const Key& key : list.order) mark(list, key.handle);
}

void RankedEviction::refresh(NodeId node, List& list) {
  for (const std::uint32_t index : list.stale) {
    Replica& replica = list.replicas[index];
    replica.stale = false;
    if (!replica.here) continue;
    const Key key{rank(node, HandleId(index)), replica.used, index};
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
    if (candidate(HandleId(key.handle))) return HandleId(key.handle);
  }
  return {};
}

}  // namespace troupe::memory
