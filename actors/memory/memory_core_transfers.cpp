/// The functions of the memory core that copy data between nodes.
#include <algorithm>
#include <cassert>
#include <tuple>
#include <utility>

#include "actors/memory/memory_core.hpp"

namespace troupe::memory {

NodeId MemoryCore::cheapest_source(HandleId handle, Bytes bytes, NodeId to, const NodeSet& tried) const {
  NodeId best;
  bool best_leaves = false;
  Duration best_expected{0};
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    const Replica& replica = directory_.at(handle, NodeId(i));
    if (!is_valid(replica.state) || tried.contains(NodeId(i))) continue;
    const Duration expected = transfers_.expected(NodeId(i), to, bytes);
    const bool leaves = replica.evicting;
    if (best.valid() && (leaves != best_leaves ? leaves : expected >= best_expected)) continue;
    best = NodeId(i);
    best_leaves = leaves;
    best_expected = expected;
  }
  return best;
}

void MemoryCore::start(HandleId handle, NodeId from, NodeId to, bool waited_for, NodeSet tried, Commands& out) {
  assert(from.valid() && from != to && "some other node has the newest content");
  HandleRecord& all = directory_.record(handle);
  Replica& target = directory_.at(handle, to);
  assert(target.incoming == kNoTransfer && !is_valid(target.state) && "a handle is copied to a node once at a time");
  const TransferId id = transfers_.add({handle, from, to, all.bytes, {}, std::move(tried), waited_for});
  target.incoming = TransferTable::place(id);
  ++directory_.at(handle, from).outgoing;
  ++all.transfers;
  ++node(from).transfers;
  ++node(to).transfers;
  set_state(handle, to, ReplicaState::incoming, out);
  out.push_back({.kind = Command::Kind::start_transfer,
                 .waited_for = waited_for,
                 .from = from,
                 .to = to,
                 .transfer = id,
                 .handle = handle,
                 .bytes = all.bytes,
                 .from_offset = offset(handle, from),
                 .to_offset = offset(handle, to)});
}

void MemoryCore::make_urgent(HandleId handle, NodeId to, Commands& out) {
  const std::uint32_t incoming = directory_.at(handle, to).incoming;
  if (incoming == kNoTransfer) return;
  if (!transfers_[incoming].halo.valid()) return make_urgent(incoming, out);
  for (const std::uint32_t copy : halos_.buffer(handle, to).copies) make_urgent(copy, out);
}

void MemoryCore::make_urgent(TransferTable::Place place, Commands& out) {
  Transfer& transfer = transfers_[place];
  if (transfer.waited_for) return;
  transfer.waited_for = true;
  out.push_back({.kind = Command::Kind::urgent, .transfer = transfers_.id(place), .handle = transfer.handle});
}

void MemoryCore::make_all_urgent(HandleId handle, Commands& out) {
  if (directory_.record(handle).transfers == 0) return;
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) make_urgent(handle, NodeId(i), out);
  if (!halos_.empty()) make_overlaps_urgent(handle, out);
}

Transfer MemoryCore::take(TransferId id) {
  Transfer transfer = transfers_.take(id);
  directory_.at(transfer.handle, transfer.to).incoming = kNoTransfer;
  --directory_.at(transfer.handle, transfer.from).outgoing;
  --directory_.record(transfer.handle).transfers;
  --node(transfer.from).transfers;
  --node(transfer.to).transfers;
  changed_ = true;
  return transfer;
}

void MemoryCore::transfer_done(TransferId id, Commands& out) {
  if (transfers_[TransferTable::place(id)].halo.valid()) return overlap_ended(id, true, out);
  const Transfer transfer = take(id);
  ++statistics_.transfers;
  statistics_.moved[transfer.from.index() * nodes_.size() + transfer.to.index()] += transfer.bytes;
  if (access_observer_) access_observer_->moved(transfer.to, transfer.handle, transfer.bytes);
  Replica& source = directory_.at(transfer.handle, transfer.from);
  source.failed_write_backs = 0;
  if (node(transfer.to).lost) {
    drop(transfer.handle, transfer.to, out);
  } else {
    set_state(transfer.handle, transfer.to, ReplicaState::shared, out);
  }
  if (source.state == ReplicaState::modified && !node(transfer.to).lost) {
    set_state(transfer.handle, transfer.from, ReplicaState::shared, out);
  }
  if (node(transfer.from).lost) came_from_the_lost(transfer.handle, out);
  note_loss(transfer.handle);
  after_transfer(transfer, out);
}

void MemoryCore::transfer_failed(TransferId id, Commands& out) {
  if (transfers_[TransferTable::place(id)].halo.valid()) return overlap_ended(id, false, out);
  Transfer transfer = take(id);
  const auto [handle, from, to] = std::tuple(transfer.handle, transfer.from, transfer.to);
  ++statistics_.failed_transfers;
  note_loss(handle);
  Replica& source = directory_.at(handle, from);
  Replica& target = directory_.at(handle, to);
  if (source.evicting && to == kHost && source.failed_write_backs < kMostFailedWriteBacks) ++source.failed_write_backs;
  const std::vector<Place> readers = readers_of(handle, to);
  transfer.tried.insert(from);
  const NodeId other = readers.empty() ? NodeId() : cheapest_source(handle, transfer.bytes, to, transfer.tried);
  if (other.valid()) {
    start(handle, other, to, true, std::move(transfer.tried), out);
  } else {
    if (target.pins == 0) {
      drop(handle, to, out);
    } else {
      set_state(handle, to, ReplicaState::invalid, out);  // requests that will overwrite it keep its memory
    }
    HandleRecord& all = directory_.record(handle);
    if (all.valid == 0 && !all.content_lost) {  // another copy from a lost node may succeed
      all.in_doubt = all.in_doubt || !readers.empty();
    } else {
      for (const Place place : readers) fail(place, handle, out);
    }
  }
  after_transfer(transfer, out);
}

void MemoryCore::after_transfer(const Transfer& transfer, Commands& out) {
  const HandleId handle = transfer.handle;
  finish_eviction(handle, transfer.from, out);
  resolve_doubt(handle, out);
  transfers_changed(transfer.to, handle, out);
  const HandleRecord& all = directory_.record(handle);
  if (all.write_pins > 0 && all.writer != transfer.to) transfers_changed(all.writer, handle, out);
  if (all.may_go()) finish_forgetting(handle, out);
  settle(out);
}

void MemoryCore::write_back_early(const Request& request, Commands& out) {
  if (request.node == kHost) return;
  for (const Use& use : request.uses) {
    if (!use.last_write || !writes(use.mode) || directory_.record(use.handle).write_pins > 0) continue;
    if (directory_.at(use.handle, kHost).state != ReplicaState::invalid) continue;
    if (directory_.at(use.handle, request.node).state != ReplicaState::modified) continue;  // the node was lost
    ++statistics_.write_backs;
    start(use.handle, request.node, kHost, false, {}, out);
  }
}

void MemoryCore::prefetch(NodeId id, std::span<const Use> uses, Commands& out, TaskId task) {
  if (node(id).lost) return;
  std::vector<Use> merged;
  std::vector<Use> overlaps;
  if (std::ranges::any_of(uses, &HandleId::valid, &Use::halo)) [[unlikely]] {
    merge_uses(uses, id, merged, overlaps);
    learn_halos(merged, overlaps, out);
    uses = merged;
  }
  if (task.valid()) policy_->expected(id, task, uses);
  const bool refused = !node(id).waiting.empty();
  for (const Use& use : uses) {
    if (!reads(use.mode)) continue;
    learn_size(use);
    const Replica& replica = directory_.at(use.handle, id);
    if (replica.state == ReplicaState::invalid) {
      statistics_.prefetches_without_room += refused ? 1 : 0;
      continue;
    }
    // The replica should stay on the node until the task uses the replica.
    if (!node(id).limited || refused) continue;
    if (replica.evicting) keep(use.handle, id);
    policy_->touched(id, use.handle);
  }
  if (refused) return;
  for (const Use& use : uses) {
    if (reads(use.mode)) prefetch_one(use, id, uses, out);
  }
  settle(out);
}

void MemoryCore::prefetch_one(const Use& use, NodeId id, std::span<const Use> batch, Commands& out) {
  const HandleRecord& all = directory_.record(use.handle);
  if (directory_.at(use.handle, id).state != ReplicaState::invalid) return;
  if (all.leaving || all.write_pins > 0) return;  // the replica would be outdated at once
  if (all.valid == 0) return;                     // no node has the content
  if (use.is_buffer() && !may_be_prefetched(use.handle)) return;
  if (too_large(node(id), {&use, 1}) != nullptr) return;
  if (!allocate_for_prefetch(use.handle, id, batch, out)) {
    ++statistics_.prefetches_without_room;
    return;
  }
  ++statistics_.prefetches;
  if (use.is_buffer()) {
    fill(use.handle, id, false, out);
  } else {
    start(use.handle, cheapest_source(use.handle, use.bytes, id, {}), id, false, {}, out);
  }
  directory_.at(use.handle, id).prefetched = true;
}

}  // namespace troupe::memory
