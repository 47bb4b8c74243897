/// The functions of the memory core that fill buffers of halo parts, and make buffers invalid when they are out of
/// date.
#include <algorithm>
#include <cassert>
#include <utility>

#include "actors/memory/memory_core.hpp"

namespace troupe::memory {

namespace {

/// Returns the overlaps of one halo part. In a request's list `overlaps` they follow one another.
std::span<const Use> overlaps_with(std::span<const Use> overlaps, HandleId halo) {
  const auto first = std::ranges::find(overlaps, halo, &Use::halo);
  const auto last = std::find_if(first, overlaps.end(), [halo](const Use& use) { return use.halo != halo; });
  return {first, last};
}

}  // namespace

bool MemoryCore::knows_halos(const Request& request) const {
  return std::ranges::all_of(request.uses, [&](const Use& use) {
    return !use.is_buffer() || halos_.overlaps(use.handle, overlaps_with(request.overlaps, use.handle));
  });
}

void MemoryCore::learn_halos(std::span<const Use> uses, std::span<const Use> overlaps, Commands& out) {
  for (const Use& use : uses) {
    if (!use.is_buffer()) continue;
    const std::span<const Use> now = overlaps_with(overlaps, use.handle);
    if (halos_.overlaps(use.handle, now)) continue;
    // Data were divided, or parts released, since the buffers were filled.
    if (halos_.find(use.handle) != nullptr) outdate(use.handle, out);
    halos_.set(use.handle, now);
  }
}

HandleId MemoryCore::unavailable_overlap(const Request& request) const {
  for (const Use& use : request.overlaps) {
    if (directory_.at(use.halo, request.node).state != ReplicaState::invalid) continue;
    if (!directory_.allows(use.handle, request.node, AccessMode::read)) return use.handle;
  }
  return {};
}

std::vector<MemoryCore::Place> MemoryCore::readers_of(HandleId handle, NodeId id) const {
  std::vector<Place> readers;
  for (const Place place : node(id).admitted) {
    const Use* const use = requests_[place].use_of(handle);
    if (use && reads(use->mode)) readers.push_back(place);
  }
  return readers;
}

void MemoryCore::fill(HandleId halo, NodeId to, bool waited_for, Commands& out) {
  const HaloTable::Halo& known = *halos_.find(halo);
  for (const Use& use : known.overlaps) {
    directory_.ensure(use.handle);
    HandleRecord& all = directory_.record(use.handle);
    if (all.valid > 0) continue;
    if (!all.content_lost) {
      all.in_doubt = true;  // `resolve_doubt` fills the buffer, or fails its readers
      return;
    }
    for (const Place place : readers_of(halo, to)) fail(place, use.handle, out);
    return;
  }
  for (const Use& use : known.overlaps) start_overlap(use, to, waited_for, {}, out);
  if (known.overlaps.empty()) set_state(halo, to, ReplicaState::shared, out);
}

NodeId MemoryCore::source_of_overlap(const Use& use, NodeId to, const NodeSet& tried) const {
  if (is_valid(directory_.at(use.handle, to).state) && !tried.contains(to)) return to;
  return cheapest_source(use.handle, use.overlap, to, tried);
}

bool MemoryCore::start_overlap(const Use& use, NodeId to, bool waited_for, NodeSet tried, Commands& out) {
  const NodeId from = source_of_overlap(use, to, tried);
  if (!from.valid()) return false;
  const TransferId id = transfers_.add({use.handle, from, to, use.overlap, {}, std::move(tried), waited_for, use.halo});
  halos_.buffer(use.halo, to).copies.push_back(TransferTable::place(id));
  directory_.at(use.halo, to).incoming = TransferTable::place(id);
  ++directory_.at(use.handle, from).outgoing;
  ++directory_.record(use.handle).transfers;
  ++directory_.record(use.halo).transfers;
  ++node(from).transfers;
  ++node(to).transfers;
  set_state(use.halo, to, ReplicaState::incoming, out);
  out.push_back({.kind = Command::Kind::start_transfer,
                 .waited_for = waited_for,
                 .from = from,
                 .to = to,
                 .transfer = id,
                 .handle = use.handle,
                 .halo = use.halo,
                 .bytes = use.overlap,
                 .from_offset = offset(use.handle, from),
                 .to_offset = offset(use.halo, to)});
  return true;
}

void MemoryCore::overlap_ended(TransferId id, bool arrived, Commands& out) {
  Transfer transfer = transfers_.take(id);
  const HandleId handle = transfer.handle;
  const HandleId halo = transfer.halo;
  HaloTable::Buffer& buffer = halos_.buffer(halo, transfer.to);
  std::erase(buffer.copies, TransferTable::place(id));
  directory_.at(halo, transfer.to).incoming = buffer.copies.empty() ? kNoTransfer : buffer.copies.back();
  --directory_.at(handle, transfer.from).outgoing;
  --directory_.record(handle).transfers;
  --directory_.record(halo).transfers;
  --node(transfer.from).transfers;
  --node(transfer.to).transfers;
  changed_ = true;
  note_loss(handle);
  if (arrived) {
    ++statistics_.transfers;
    statistics_.moved[transfer.from.index() * nodes_.size() + transfer.to.index()] += transfer.bytes;
  } else {
    ++statistics_.failed_transfers;
    overlap_failed(transfer, out);
  }
  if (buffer.copies.empty()) buffer_ended(halo, transfer.to, out);
  finish_eviction(handle, transfer.from, out);
  resolve_doubt(handle, out);
  transfers_changed(transfer.to, halo, out);
  const HandleRecord& all = directory_.record(handle);
  if (all.write_pins > 0) transfers_changed(all.writer, handle, out);
  for (const HandleId each : {handle, halo}) {
    const HandleRecord& record = directory_.record(each);
    if (record.may_go()) finish_forgetting(each, out);
  }
  settle(out);
}

void MemoryCore::overlap_failed(Transfer& transfer, Commands& out) {
  transfer.tried.insert(transfer.from);
  const std::vector<Place> readers = readers_of(transfer.halo, transfer.to);
  const Use use{transfer.handle, AccessMode::read, {}, false, transfer.halo, transfer.bytes};
  if (!readers.empty() && start_overlap(use, transfer.to, true, std::move(transfer.tried), out)) return;
  halos_.buffer(transfer.halo, transfer.to).spoiled = true;
  HandleRecord& all = directory_.record(transfer.handle);
  if (all.valid == 0 && !all.content_lost) {  // another copy from a lost node may succeed
    all.in_doubt = all.in_doubt || !readers.empty();
    return;
  }
  for (const Place place : readers) fail(place, transfer.handle, out);
}

void MemoryCore::buffer_ended(HandleId halo, NodeId id, Commands& out) {
  const bool spoiled = std::exchange(halos_.buffer(halo, id).spoiled, false);
  if (node(id).lost) return drop(halo, id, out);
  if (!spoiled) return set_state(halo, id, ReplicaState::shared, out);
  if (directory_.at(halo, id).pins == 0) return drop(halo, id, out);
  set_state(halo, id, ReplicaState::invalid, out);
  if (!readers_of(halo, id).empty()) fill(halo, id, true, out);
}

void MemoryCore::outdate(HandleId halo, Commands& out) {
  for (std::uint32_t i = 1; i < nodes_.size(); ++i) {
    const Replica& replica = directory_.at(halo, NodeId(i));
    if (replica.incoming != kNoTransfer) {
      halos_.buffer(halo, NodeId(i)).spoiled = true;
    } else if (is_valid(replica.state)) {
      if (replica.pins == 0) {
        drop(halo, NodeId(i), out);
      } else {
        set_state(halo, NodeId(i), ReplicaState::invalid, out);
      }
    }
  }
}

void MemoryCore::outdate_over(HandleId handle, Commands& out) {
  for (const HandleId halo : halos_.over(handle)) outdate(halo, out);
}

void MemoryCore::make_overlaps_urgent(HandleId handle, Commands& out) {
  for (const HandleId halo : halos_.over(handle)) {
    for (const HaloTable::Buffer& buffer : halos_.find(halo)->buffers) {
      for (const std::uint32_t place : buffer.copies) {
        if (transfers_[place].handle == handle) make_urgent(place, out);
      }
    }
  }
}

bool MemoryCore::may_be_prefetched(HandleId halo) const {
  const HaloTable::Halo& known = *halos_.find(halo);
  return std::ranges::all_of(known.overlaps, [&](const Use& use) {
    if (!directory_.knows(use.handle)) return true;
    const HandleRecord& all = directory_.record(use.handle);
    return !all.leaving && all.write_pins == 0 && all.valid > 0;
  });
}

}  // namespace troupe::memory
