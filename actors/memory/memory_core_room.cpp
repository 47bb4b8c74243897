/// The functions of the memory core that make room for data by evicting other data.
#include <cassert>
#include <limits>

#include "actors/memory/memory_core.hpp"

namespace troupe::memory {

namespace {

constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();
/// The number of replicas that a prefetch considers for eviction. The number is small, so that a prefetch gives up soon
/// if most replicas are modified.
constexpr std::size_t kPrefetchLooksAt = 32;

bool names(std::span<const Use> uses, HandleId handle) {
  for (const Use& use : uses) {
    if (use.handle == handle) return true;
  }
  return false;
}

}  // namespace

Bytes MemoryCore::missing(const Request& request) const {
  Bytes missing;
  for (const Use& use : request.uses) {
    if (directory_.at(use.handle, request.node).block == OffsetAllocator::kNone) missing += space_of(use.handle);
  }
  return missing;
}

bool MemoryCore::can_be_held_beside_pinned(const Request& request) const {
  const Node& where = node(request.node);
  Bytes held = where.pinned;
  for (const Use& use : request.uses) {
    if (directory_.at(use.handle, request.node).pins == 0) held += space_of(use.handle);
  }
  return held <= where.arena.capacity();
}

MemoryCore::Outcome MemoryCore::make_room(const Request& request, Commands& out) {
  Node& where = node(request.node);
  if (!where.limited || missing(request) == Bytes{}) return Outcome::admitted;
  if (!can_be_held_beside_pinned(request)) return Outcome::waits;
  while (true) {
    const Bytes wanted = missing(request);
    const bool enough = where.arena.free_bytes() + where.evicting >= wanted;
    if (enough && where.arena.free_bytes() >= wanted && allocate_all(request)) return Outcome::admitted;
    if (enough && where.evicting > Bytes{}) return Outcome::waits;
    HandleId victim = next_victim(request);  // the free memory is too little, or in pieces
    if (!victim.valid()) {
      // Replicas that are pinned or being copied are in the way now, but not for ever. If there are no such replicas,
      // only the request's own replicas can be in the way.
      if (where.pinned > Bytes{} || where.transfers > 0 || waits_for_the_lost()) return Outcome::waits;
      victim = victim_of_its_own(request);
    }
    if (!victim.valid()) return Outcome::failed;
    evict(victim, request.node, out);
    // If a buffer of the request itself was evicted, it cannot be filled again once content that it overlaps is lost.
    if (lost_content(request).valid()) return Outcome::failed;
  }
}

bool MemoryCore::allocate_all(const Request& request) {
  Node& where = node(request.node);
  for (std::size_t i = 0; i < request.uses.size(); ++i) {
    Replica& replica = directory_.at(request.uses[i].handle, request.node);
    if (replica.block != OffsetAllocator::kNone) continue;
    replica.block = where.arena.allocate(directory_.record(request.uses[i].handle).bytes);
    if (replica.block != OffsetAllocator::kNone) {
      policy_->inserted(request.node, request.uses[i].handle);
      continue;
    }
    while (i-- > 0) {
      const Replica& before = directory_.at(request.uses[i].handle, request.node);
      // Frees only memory that this call has allocated. A replica whose memory was allocated before has content, or is
      // about to get it.
      if (before.state == ReplicaState::invalid && before.pins == 0)
        release_block(request.uses[i].handle, request.node);
    }
    return false;
  }
  return true;
}

bool MemoryCore::allocate_for_prefetch(HandleId handle, NodeId id, std::span<const Use> batch, Commands& out) {
  Node& where = node(id);
  if (!where.limited) return true;
  Replica& replica = directory_.at(handle, id);
  const Bytes wanted = space_of(handle);
  const auto spare = [&](HandleId other) {
    const Replica& there = directory_.at(other, id);
    const HandleRecord& all = directory_.record(other);
    return may_go(other, id) && there.outgoing == 0 && !there.prefetched && all.valid > 1 && all.locks == 0 &&
           !names(batch, other) && policy_->gives_way_to_prefetches(id, other);
  };
  // A prefetch frees at most twice its size: if that does not help, the free memory is in small pieces, and freeing
  // more is not worthwhile.
  for (Bytes freed; true;) {
    replica.block = where.arena.allocate(wanted);
    if (replica.block != OffsetAllocator::kNone) break;
    const HandleId victim =
        freed.count < 2 * wanted.count ? policy_->next_victim(id, spare, kPrefetchLooksAt) : HandleId();
    if (!victim.valid()) return false;
    freed += space_of(victim);
    evict(victim, id, out);
  }
  policy_->inserted(id, handle);
  note_highest_use(id);
  return true;
}

bool MemoryCore::may_go(HandleId handle, NodeId id) const {
  const Replica& replica = directory_.at(handle, id);
  if (replica.pins > 0 || !is_valid(replica.state) || replica.evicting) return false;
  if (directory_.record(handle).valid > 1) return true;
  // A copy of the handle from a lost node to the host may still be under way, and two copies of one handle to the host
  // at a time are not possible.
  const bool host_waits = directory_.at(handle, kHost).state == ReplicaState::incoming;
  return replica.failed_write_backs < kMostFailedWriteBacks && (replica.outgoing > 0 || !host_waits);
}

HandleId MemoryCore::next_victim(const Request& request) const {
  const auto any = [&](HandleId handle) { return may_go(handle, request.node) && !request.use_of(handle); };
  if (!request.overlaps.empty()) {
    // Data that the request's halo parts overlap are evicted later, because a buffer is filled faster from its own
    // node.
    const auto apart = [&](HandleId handle) {
      return any(handle) && directory_.record(handle).locks == 0 && !names(request.overlaps, handle);
    };
    const HandleId victim = policy_->next_victim(request.node, apart, kAll);
    if (victim.valid()) return victim;
  }
  if (locked_ > 0) {
    const auto unlocked = [&](HandleId handle) { return directory_.record(handle).locks == 0 && any(handle); };
    const HandleId victim = policy_->next_victim(request.node, unlocked, kAll);
    if (victim.valid()) return victim;
  }
  return policy_->next_victim(request.node, any, kAll);
}

HandleId MemoryCore::victim_of_its_own(const Request& request) const {
  for (const Use& use : request.uses) {
    if (may_go(use.handle, request.node)) return use.handle;
  }
  return {};
}

HandleId MemoryCore::cannot_be_written_back(NodeId id) const {
  const auto stays = [&](HandleId handle) {
    return directory_.at(handle, id).failed_write_backs >= kMostFailedWriteBacks;
  };
  return policy_->next_victim(id, stays, kAll);
}

void MemoryCore::evict(HandleId handle, NodeId id, Commands& out) {
  Replica& replica = directory_.at(handle, id);
  if (replica.outgoing == 0 && directory_.record(handle).valid > 1) {
    ++statistics_.evictions;
    drop(handle, id, out);
    return;
  }
  replica.evicting = true;
  node(id).evicting += space_of(handle);
  policy_->removed(id, handle);
  if (replica.outgoing == 0) {
    assert(directory_.at(handle, kHost).state == ReplicaState::invalid && "nobody else could bring it there");
    ++statistics_.write_backs;
    start(handle, id, kHost, true, {}, out);
    return;
  }
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    const std::uint32_t incoming = directory_.at(handle, NodeId(i)).incoming;
    if (incoming != kNoTransfer && transfers_[incoming].from == id) make_urgent(handle, NodeId(i), out);
  }
  make_overlaps_urgent(handle, out);
}

void MemoryCore::keep(HandleId handle, NodeId id) {
  directory_.at(handle, id).evicting = false;
  node(id).evicting.count -= space_of(handle).count;
  policy_->inserted(id, handle);
}

void MemoryCore::finish_eviction(HandleId handle, NodeId id, Commands& out) {
  const Replica& replica = directory_.at(handle, id);
  if (!replica.evicting || replica.outgoing > 0) return;
  // If this replica is the only valid one, it stays: the copy that should save the content failed, or all copies only
  // filled buffers of halo parts.
  if (directory_.record(handle).valid == 1) {
    keep(handle, id);
    return;
  }
  ++statistics_.evictions;
  drop(handle, id, out);
}

void MemoryCore::drop(HandleId handle, NodeId id, Commands& out) {
  Replica& replica = directory_.at(handle, id);
  assert((replica.outgoing == 0 || node(id).lost) && replica.incoming == kNoTransfer && "no transfer uses what goes");
  if (replica.evicting) keep(handle, id);
  if (replica.prefetched) {
    replica.prefetched = false;
    ++statistics_.prefetches_wasted;
  }
  replica.failed_write_backs = 0;
  if (replica.block != OffsetAllocator::kNone) release_block(handle, id);
  changed_ = true;
  set_state(handle, id, ReplicaState::invalid, out);
  mark_only_one(handle, out);
}

void MemoryCore::mark_only_one(HandleId handle, Commands& out) {
  if (directory_.record(handle).valid != 1) return;
  for (std::uint32_t i = 1; i < nodes_.size(); ++i) {
    if (is_valid(directory_.at(handle, NodeId(i)).state)) {
      set_state(handle, NodeId(i), ReplicaState::modified, out);
    }
  }
}

void MemoryCore::release_block(HandleId handle, NodeId id) {
  Replica& replica = directory_.at(handle, id);
  policy_->removed(id, handle);
  node(id).arena.free(replica.block);
  replica.block = OffsetAllocator::kNone;
}

}  // namespace troupe::memory
