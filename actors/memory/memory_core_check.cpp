/// The functions of the memory core that check the rules which must hold between two events.
#include "actors/memory/memory_core.hpp"

namespace troupe::memory {

std::string_view MemoryCore::check(HandleId handle) const {
  if (!directory_.knows(handle)) return {};
  const HandleRecord& all = directory_.record(handle);
  std::uint32_t valid = 0;
  std::uint32_t modified = 0;
  std::uint32_t incoming = 0;
  std::uint32_t outgoing = 0;
  std::uint32_t pins = 0;
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    const Replica& replica = directory_.at(handle, NodeId(i));
    valid += is_valid(replica.state) ? 1 : 0;
    modified += replica.state == ReplicaState::modified ? 1 : 0;
    incoming += replica.incoming != kNoTransfer ? 1 : 0;
    outgoing += replica.outgoing;
    pins += replica.pins;
    if (const std::string_view broken = check_replica(handle, NodeId(i)); !broken.empty()) return broken;
  }
  if (valid != all.valid) return "the valid replicas of a handle are counted";
  if (modified > 0 && valid != 1) return "a modified replica is the only valid one";
  if (valid == 1 && modified == 0 && !is_valid(directory_.at(handle, kHost).state)) {
    return "the only valid replica outside the host is modified";
  }
  if (const HaloTable::Halo* const halo = halos_.find(handle)) {
    std::size_t copies = 0;
    for (const HaloTable::Buffer& buffer : halo->buffers) copies += buffer.copies.size();
    if (outgoing != 0 || copies != all.transfers) return "the transfers that fill buffers of a halo part are counted";
    if (!is_valid(directory_.at(handle, kHost).state)) return "the host's replica of a halo part is valid";
  } else if (incoming + overlap_copies(handle) != all.transfers || outgoing != all.transfers) {
    return "the transfers of a handle are counted at both ends";
  }
  if (all.content_lost != (valid == 0 && all.transfers == 0)) return "content is lost where nobody has or brings it";
  if ((all.away != kAtHome) == is_valid(directory_.at(handle, kHost).state)) return "what is away is listed";
  if (pins != all.pins || all.write_pins > pins) return "the users of a handle are counted";
  if (all.write_pins > 0 && directory_.at(handle, all.writer).pins != pins) return "a writer's node uses it alone";
  return {};
}

std::uint32_t MemoryCore::overlap_copies(HandleId handle) const {
  std::uint32_t copies = 0;
  transfers_.visit(
      [&](const Transfer& transfer) { copies += transfer.halo.valid() && transfer.handle == handle ? 1 : 0; });
  return copies;
}

std::string_view MemoryCore::check_replica(HandleId handle, NodeId id) const {
  const Replica& replica = directory_.at(handle, id);
  const Node& where = node(id);
  if ((replica.state == ReplicaState::incoming) != (replica.incoming != kNoTransfer)) {
    return "a replica is incoming while a transfer brings it";
  }
  if (replica.incoming != kNoTransfer) {
    if (!transfers_.is_under_way(replica.incoming)) return "the transfer that brings a replica is under way";
    const Transfer& transfer = transfers_[replica.incoming];
    const HandleId brought = transfer.halo.valid() ? transfer.halo : transfer.handle;
    if (brought != handle || transfer.to != id) return "the transfer that brings a replica is its own";
  }
  if (where.lost && is_valid(replica.state)) return "a lost node has nothing";
  if (replica.outgoing > 0 && !where.lost && !is_valid(replica.state)) return "what is copied is valid";
  if (replica.evicting && (replica.outgoing == 0 || replica.pins > 0)) {
    return "what is about to go is copied, and in nobody's use";
  }
  const bool has_memory = replica.block != OffsetAllocator::kNone;
  const bool needs_memory = where.limited && (replica.state != ReplicaState::invalid || replica.pins > 0);
  if (has_memory != needs_memory) return "memory is allocated for what is there, comes or is used";
  if (has_memory && where.arena.size(replica.block) != space_of(handle)) return "memory is as large as the data";
  return {};
}

std::string_view MemoryCore::check_node(NodeId id) const {
  const Node& where = node(id);
  Bytes pinned;
  Bytes evicting;
  Bytes taken;
  std::uint32_t transfers = 0;
  directory_.visit([&](HandleId handle) {
    const Replica& replica = directory_.at(handle, id);
    const HaloTable::Halo* const halo = halos_.find(handle);
    const bool is_incoming = replica.incoming != kNoTransfer;
    transfers += replica.outgoing;
    transfers += halo != nullptr ? static_cast<std::uint32_t>(halo->buffers[id.index()].copies.size()) : is_incoming;
    if (!where.limited) return;
    if (replica.pins > 0) pinned += space_of(handle);
    if (replica.evicting) evicting += space_of(handle);
    if (replica.block != OffsetAllocator::kNone) taken += space_of(handle);
  });
  if (transfers != where.transfers) return "the transfers of a node are counted";
  if (pinned != where.pinned) return "the pinned memory of a node is counted";
  if (evicting != where.evicting) return "the memory of a node that is about to be free is counted";
  if (taken != where.arena.used()) return "nothing is allocated for nobody";
  if (where.lost && (!where.waiting.empty() || !where.admitted.empty())) return "nobody waits for a lost node";
  return {};
}

std::string_view MemoryCore::check_requests() const {
  std::size_t waiting = 0;
  std::size_t pins = 0;
  std::size_t pinned = 0;
  for (const Node& each : nodes_) waiting += each.waiting.size();
  if (waiting != waiting_) return "the waiting requests are counted";
  requests_.visit([&](const Request& request) {
    if (request.stage != Request::Stage::waiting) pins += request.uses.size();
  });
  directory_.visit([&](HandleId handle) { pinned += directory_.record(handle).pins; });
  if (pins != pinned) return "replicas are pinned by requests that were admitted";
  return {};
}

std::string_view MemoryCore::check() const {
  std::string_view broken_handle;
  directory_.visit([&](HandleId handle) {
    if (broken_handle.empty()) broken_handle = check(handle);
  });
  if (!broken_handle.empty()) return broken_handle;
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    if (const std::string_view broken = check_node(NodeId(i)); !broken.empty()) return broken;
  }
  return check_requests();
}

}  // namespace troupe::memory
