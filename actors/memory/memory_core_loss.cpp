/// The functions of the memory core that react to the loss of a node.
#include <algorithm>
#include <cassert>

#include "actors/memory/memory_core.hpp"

namespace troupe::memory {

void MemoryCore::node_lost(NodeId id, Commands& out) {
  assert(id != kHost && "the host's memory is there as long as the program");
  Node& where = node(id);
  if (where.lost) return;
  where.lost = true;
  changed_ = true;
  refuse_all(where, id, out);
  directory_.visit([&](HandleId handle) { lose(handle, id, out); });
  settle(out);
}

void MemoryCore::refuse_all(Node& where, NodeId id, Commands& out) {
  const auto refuse = [&](Place place) {
    out.push_back({.kind = Command::Kind::node_lost, .node = id, .request = requests_[place].id});
    requests_.remove(place);
  };
  for (const Place place : where.admitted) {
    unpin_all(requests_[place], out);
    refuse(place);
  }
  where.admitted.clear();
  for (const Place place : where.waiting) refuse(place);
  waiting_ -= where.waiting.size();
  where.waiting.clear();
}

void MemoryCore::lose(HandleId handle, NodeId id, Commands& out) {
  const Replica& replica = directory_.at(handle, id);
  if (replica.incoming != kNoTransfer) return;
  if (replica.pins == 0) {
    drop(handle, id, out);
  } else {
    set_state(handle, id, ReplicaState::invalid, out);
    mark_only_one(handle, out);
  }
  note_loss(handle);
}

void MemoryCore::note_loss(HandleId handle) {
  HandleRecord& all = directory_.record(handle);
  if (all.valid == 0 && all.transfers == 0) all.content_lost = true;
}

void MemoryCore::came_from_the_lost(HandleId handle, Commands& out) {
  mark_only_one(handle, out);
  if (directory_.record(handle).valid < 2) return;
  for (std::uint32_t i = 1; i < nodes_.size(); ++i) {
    if (directory_.at(handle, NodeId(i)).state == ReplicaState::modified) {
      set_state(handle, NodeId(i), ReplicaState::shared, out);
    }
  }
}

void MemoryCore::resolve_doubt(HandleId handle, Commands& out) {
  HandleRecord& all = directory_.record(handle);
  if (!all.in_doubt || (all.valid == 0 && !all.content_lost)) return;
  all.in_doubt = false;
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    const std::vector<Place> readers = readers_of(handle, NodeId(i));
    if (readers.empty() || directory_.at(handle, NodeId(i)).state != ReplicaState::invalid) continue;
    if (all.valid > 0) {
      start(handle, cheapest_source(handle, all.bytes, NodeId(i), {}), NodeId(i), true, {}, out);
    } else {
      for (const Place place : readers) fail(place, handle, out);
    }
  }
  for (const HandleId halo : halos_.over(handle)) {
    for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
      const bool wanted = !readers_of(halo, NodeId(i)).empty();
      if (wanted && directory_.at(halo, NodeId(i)).state == ReplicaState::invalid) fill(halo, NodeId(i), true, out);
    }
  }
}

bool MemoryCore::waits_for_the_lost() const {
  return std::ranges::any_of(nodes_, [](const Node& each) { return each.lost && each.transfers > 0; });
}

}  // namespace troupe::memory
